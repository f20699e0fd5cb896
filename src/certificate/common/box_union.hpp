// Box union: distinct words of boxes overlapping along several ranks at once. Internal to certificate/.
//
// If a dimension moves several ranks of a result, tiles lie along slanted lines: overlaps are no product over ranks.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "certificate/common/addresses.hpp"

namespace tilewright::certificate {

/// Copies of the boxes so far, each shifted by `step`.
struct BoxCopies {
    Move step{};
    double count = 1.0;
};

/// Limit of marked words, and of boxes.
inline constexpr double kMostMarked = 1 << 18;

/// Words of the union of a box (widths by rank) and all its copies; nothing beyond the limits.
std::optional<double> box_union(std::span<const double> widths, std::span<const BoxCopies> copies);

}  // namespace tilewright::certificate
