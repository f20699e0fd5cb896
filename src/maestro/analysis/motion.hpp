// How the tiles of one map move: how many steps, how much of a tensor each tile has, how much of it was there before.
//
// A map walks through tiles of two kinds: full ones, and the last, which may be smaller (for a spatial map: the last
// fold, in which sub-clusters may be idle). Everything that the analysis needs to know of a map is, per tensor, the
// size of both kinds, what a tile shares with the one before it, and what the first shares with the last when the map
// starts again. docs/maestro.md derives the formulas.
#pragma once

#include <array>
#include <cstdint>

#include "maestro/dataflow/levels.hpp"

namespace tilewright::dataflow {

/// The steps of a map on an extent.
struct Walk {
    std::int64_t positions = 1;  ///< tiles
    std::int64_t steps = 1;      ///< temporal: as many; spatial: folds
    std::int64_t full = 1;       ///< elements of all tiles but the last
    std::int64_t last = 1;       ///< elements of the last tile
    std::int64_t active = 1;     ///< spatial: sub-clusters with work in the last fold
    bool one_kind = true;        ///< the last step is like the others
};

/// Requires extent, clusters >= 1.
Walk walk_of(const Map& map, std::int64_t extent, std::int64_t clusters);

/// What of one tensor a map moves. Index 0: a full step, 1: the last.
struct Motion {
    std::array<std::int64_t, 2> size{1, 1};
    std::array<std::int64_t, 2> kept{1, 1};  ///< shared with the step before it
    std::int64_t first = 1;                  ///< size of the first step
    std::int64_t again = 1;                  ///< shared by the first step and the last one before it

    static Motion still(std::int64_t size) { return {{size, size}, {size, size}, size, size}; }
};

/// Three ways of counting; see Sent.
enum class Counting : std::uint8_t { multicast, unicast, array };

/// A map that the tensor does not depend on.
Motion motion_past(const Map& map, const Walk& walk, std::int64_t clusters, Counting counting);
/// A map of a dimension of the tensor.
Motion motion_along(const Map& map, const Walk& walk, std::int64_t clusters, Counting counting);

/// Elements that each tile of a temporal map shares with its last one, summed over all tiles.
std::int64_t overlaps_with_last(const Map& map, const Walk& walk);

/// `count` intervals of `length` at distance `pitch`, the last of `last`: elements in their union.
std::int64_t union_of(std::int64_t count, std::int64_t pitch, std::int64_t length, std::int64_t last);

}  // namespace tilewright::dataflow
