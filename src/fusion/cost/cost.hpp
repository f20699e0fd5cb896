// Energy and cycles, and what is known of both from below.
#pragma once

#include <vector>

namespace tilewright::fusion {

struct Cost {
    double energy_pj = 0.0;
    double cycles = 0.0;
};

/// What something costs at least: energy and cycles each by itself, and the weighted sum of both at once.
struct Floor {
    Cost cost;
    double value = 0.0;
};

// A weighted sum of energy and cycles, and what it is at least.

/// By einsum, and 0 for the end: what energy and cycles, so weighted, of it and all after it are at least together. No
/// group has less than its first einsum's number less that of the einsum after it.
struct ProvenSum {
    double energy = 0.0;  ///< weights
    double cycles = 0.0;
    std::vector<double> duals = {};
};

}  // namespace tilewright::fusion
