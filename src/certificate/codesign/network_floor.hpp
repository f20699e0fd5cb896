// What a network comes to at least when something is known of each of its layers.
//
// Of a product E C of two totals: sqrt(E C) is (t E + C / t) / 2 at one t, that of the totals themselves. So it is at
// least the least of that sum over all t. A layer of at least e pJ and c cycles, whose product is at least m, adds
// no less to it than at the t where it adds least; the further from there, the more. An interval of t therefore has a
// floor, layer by layer, and intervals are cut until each of them has one that is high enough.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tilewright::certificate {

/// Of one layer; no mapping of it has less of any.
struct ProvenFloor {
    double energy_pj = 0.0;
    double cycles = 0.0;
    double objective = 0.0;

    bool operator==(const ProvenFloor&) const = default;
};

/// Those of a network, each as often as it runs.
struct RepeatedFloor {
    double repeats = 1.0;
    ProvenFloor floor;
};

double total_energy_pj(const std::vector<RepeatedFloor>& layers);
double total_cycles(const std::vector<RepeatedFloor>& layers);

/// Whether the objective ("energy", "latency" or "edp") of the whole network is at least `value`, but for a billionth,
/// whatever mapping each layer has. False where that cannot be shown.
bool comes_to(const std::vector<RepeatedFloor>& layers, const std::string& objective, double value);

}  // namespace tilewright::certificate
