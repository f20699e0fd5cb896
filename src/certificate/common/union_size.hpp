// Union size: distinct words of overlapping tiles. Internal to certificate/.
//
// For a result those are the first arrivals: not filled, and not read before their update (docs/model.md, rule 5).
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "certificate/common/addresses.hpp"

namespace tilewright::certificate {

/// Copies of the pieces so far, each shifted by `step`.
struct Copies {
    double step = 0.0;
    double count = 1.0;
};

/// Length of the union of `width` words and all their copies; nothing if there are too many pieces.
std::optional<double> union_size(double width, std::vector<Copies> copies);

/// Lower bound of that union in a few steps. `scattered` copies are only known to lie `step` or further apart.
double union_size_at_least(double width, std::vector<Copies> copies, std::span<const Copies> scattered);

/// Distinct words in the tiles of one instance: `tile` iterations each, of the instance's `share`. An upper bound if
/// the instance has a part of a dimension in `extents`, whose position is unknown.
double distinct_at_most(const Addresses& tensor, const Box& tile, const Box& share, const Box& extents);

// Box union: distinct words of boxes overlapping along several ranks at once. Internal to certificate/.
//
// If a dimension moves several ranks of a result, tiles lie along slanted lines: overlaps are no product over ranks.

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
