// Energy and cycles, and what is known of both from below.
#pragma once

#include <vector>

#include "fusion/space/label.hpp"

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

// What costs at least in energy and cycles at once: lower left corners of a convex hull.
//
// Whatever lies above a hull costs no less than its cheapest corner by any weights. So floors of parts add up to floors
// of sums corner by corner, and those of several ways to floors of all of them together.

/// Ascending energy, descending cycles, each below the line between its neighbours; empty: there is nothing at all.
using Hull = std::vector<Cost>;

/// Of all of these.
Hull hull_of(std::vector<Cost> points);
/// Of all sums of one point above each; empty where one of them is.
Hull sum(const Hull& a, const Hull& b);
/// The cheapest corner; infinity: there is none.
double least_value(const Hull& hull, const Weights& weights);

}  // namespace tilewright::fusion
