// Lower bounds of a network from those of its layers.
//
// Product E C of two totals: sqrt(E C) equals (t E + C / t) / 2 at the totals' own t, so it is at least the minimum of
// that sum over all t. A layer of at least e pJ, c cycles and product m has a minimal share at some t, growing away
// from it. An interval of t therefore has a floor, layer by layer; intervals are cut until each floor is high enough.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "arch/architecture.hpp"
#include "mapspace/constraints.hpp"
#include "workload/einsum.hpp"

namespace tilewright::certificate {

/// Lower bounds of one layer's mappings, each by itself.
struct ProvenFloor {
    double energy_pj = 0.0;
    double cycles = 0.0;
    double objective = 0.0;

    bool operator==(const ProvenFloor&) const = default;
};

/// A layer's floor with its repetitions.
struct RepeatedFloor {
    double repeats = 1.0;
    ProvenFloor floor;
};

double total_energy_pj(const std::vector<RepeatedFloor>& layers);
double total_cycles(const std::vector<RepeatedFloor>& layers);

/// The network's objective ("energy", "latency" or "edp") is at least `value`, up to a billionth, for any mappings of
/// its layers. False if not proven.
bool comes_to(const std::vector<RepeatedFloor>& layers, const std::string& objective, double value);

// Proves floors of one layer on one machine, for the check of machines. Internal to certificate/codesign.

struct PlacedLayer {
    Einsum einsum;
    Architecture machine;
    Constraints constraints;
};

/// Ten significant digits.
std::string in_digits(double value);

/// The floor not proven, in words; "" if no mapping has less, or none exists.
std::string doubt_of_floor(const PlacedLayer& layer, const std::string& factors, const std::string& objective,
                           const ProvenFloor& floor, const std::function<bool()>& stop);

/// Likewise, for a smaller score than this.
std::string doubt_of_score(const PlacedLayer& layer, const std::string& factors, const std::string& objective,
                           double score, const std::function<bool()>& stop);

/// Likewise, for any mapping at all.
std::string doubt_of_emptiness(const PlacedLayer& layer, const std::string& factors, const std::function<bool()>& stop);

}  // namespace tilewright::certificate
