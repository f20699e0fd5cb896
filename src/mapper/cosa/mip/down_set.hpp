// DownSet: which whole numbers a few sums of variables may come to together, as far as that is simple: what is nowhere
// above something allowed is allowed.
//
// Rows "sum of weight * variable <= room" over whole variables are such sets, the variables of equal weight counted
// together. Others come from whoever knows more than the rows do.
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

/// The points from 0 to `most` that fit while nothing above them does. Requires that what is below something that fits
/// fits. Nothing when not even 0 fits, or when there are too many to list.
std::optional<std::vector<std::vector<int>>> maximal_points(const std::vector<int>& most, const Fits& fits);

/// The sets that the problem's rows are by themselves.
std::vector<DownSet> knapsacks_of(const Program& problem);

}  // namespace tilewright::mip
