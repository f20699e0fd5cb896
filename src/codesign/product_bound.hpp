// What the objective of a network comes to at least, when each layer's energy, cycles and own objective are bounded.
//
// Totals are sums, E of energies and C of cycles, and the objective is E^a C^b. The least of every layer's objective
// says more than the least of its energy and of its cycles, which no mapping may have both. With alpha = a / (a + b)
// and beta = b / (a + b),
//
//     E^alpha C^beta = min over t > 0 of alpha t^beta E + beta t^-alpha C,
//
// and for one t that is a sum over the layers, each of which can be made least by itself. In the logarithm of t the sum
// is convex, so that its least value is found by cutting an interval.
#pragma once

#include <vector>

namespace tilewright::codesign {

/// Of one layer; any mapping of it has at least so much of each.
struct LayerFloor {
    double repeats = 1.0;
    double energy_pj = 0.0;
    double cycles = 0.0;
    double objective = 0.0;  ///< energy^a cycles^b
};

/// E^a C^b of all layers together is at least this, whatever mapping each has. `a` and `b` are not both 0.
double least_product(const std::vector<LayerFloor>& layers, double a, double b);

}  // namespace tilewright::codesign
