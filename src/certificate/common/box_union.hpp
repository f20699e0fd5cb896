// Box union: how many different words boxes cover that overlap along several ranks at once. Internal to certificate/.
//
// Where a dimension moves several ranks of a result, its tiles lie along slanted lines: what they have in common is no
// product of what they have in common along each rank.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "certificate/common/addresses.hpp"

namespace tilewright::certificate {

/// Copies of what there is, each by `step` further on.
struct BoxCopies {
    Move step{};
    double count = 1.0;
};

/// Words that are marked one by one, and boxes that mark them: no more.
inline constexpr double kMostMarked = 1 << 18;

/// Words of the union of a box of these widths, one a rank, and all its copies; nothing where there are too many of
/// them, or of the words around them.
std::optional<double> box_union(std::span<const double> widths, std::span<const BoxCopies> copies);

}  // namespace tilewright::certificate
