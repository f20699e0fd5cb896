// What costs at least in energy and cycles at once: lower left corners of a convex hull.
//
// Whatever lies above a hull costs no less than its cheapest corner by any weights. So floors of parts add up to floors
// of sums corner by corner, and those of several ways to floors of all of them together.
#pragma once

#include <vector>

#include "fusion/cost/cost.hpp"
#include "fusion/space/label.hpp"

namespace tilewright::fusion {

/// Ascending energy, descending cycles, each below the line between its neighbours; empty: there is nothing at all.
using Hull = std::vector<Cost>;

/// Of all of these.
Hull hull_of(std::vector<Cost> points);
/// Of all sums of one point above each; empty where one of them is.
Hull sum(const Hull& a, const Hull& b);
/// The cheapest corner; infinity: there is none.
double least_value(const Hull& hull, const Weights& weights);

}  // namespace tilewright::fusion
