// Lower bound of a network's objective from each layer's bounds on energy, cycles and objective.
//
// Totals are sums, E of energies and C of cycles, and the objective is E^a C^b. A layer's least objective is stronger
// than its least energy and least cycles, often not attained together. With alpha = a / (a + b) and beta = b / (a + b),
//
//     E^alpha C^beta = min over t > 0 of alpha t^beta E + beta t^-alpha C,
//
// for one t a sum over layers, minimised layer by layer. In the logarithm of t the sum is convex: its minimum is found
// by cutting an interval.
#pragma once

#include <vector>

namespace tilewright::codesign {

/// Lower bounds of one layer's mappings, each by itself.
struct LayerFloor {
    double repeats = 1.0;
    double energy_pj = 0.0;
    double cycles = 0.0;
    double objective = 0.0;  ///< energy^a cycles^b
};

/// Lower bound of E^a C^b of all layers together, for any mappings. `a` and `b` are not both 0.
double least_product(const std::vector<LayerFloor>& layers, double a, double b);

}  // namespace tilewright::codesign
