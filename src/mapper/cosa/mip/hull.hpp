// Rows implied by integrality: whole numbers with unequal weights (logarithms of primes) cannot fill every room.
//
// Faces of the convex hull of each DownSet violated by the relaxation's optimum become rows: 2^a 3^b <= 8 gives a + 2b
// <= 3, the logarithms only a + 1.58 b <= 3.
// DownSet: downward closed set of joint whole values of a few sums of variables.
//
// Rows "sum of weight * variable <= room" over whole variables are such sets, with variables of equal weight counted
// together. Other sets come from callers.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "mapper/cosa/mip/problem.hpp"

namespace tilewright::mip {

/// In every solution the numbers are whole, at least 0 and, for one of the points, nowhere above it.
struct DownSet {
    std::vector<Expression> numbers;
    std::vector<std::vector<int>> points;
};

using Fits = std::function<bool(const std::vector<int>& numbers)>;

/// The maximal fitting points from 0 to `most`. Requires downward closed `fits`. Nothing if 0 does not fit, or too
/// many.
std::optional<std::vector<std::vector<int>>> maximal_points(const std::vector<int>& most, const Fits& fits);

/// The sets given by single rows of the problem.
std::vector<DownSet> knapsacks_of(const Program& problem);

/// Adds valid rows until the relaxation's optimum is in the hull of each single set. Returns their number.
int add_hull_rows(Program& problem, const std::vector<DownSet>& sets);

}  // namespace tilewright::mip
