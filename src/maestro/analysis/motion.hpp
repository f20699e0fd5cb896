// Motion of one map's tiles: number of steps, elements per tile, and resident elements.
//
// A map has two kinds of tiles: full ones, and the last, possibly smaller (for a spatial map: the last fold, possibly
// with idle sub-clusters). Per tensor, the analysis needs both sizes, the overlap with the previous tile, and the
// overlap of first and last at a restart. Derivation: docs/maestro.md.
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
    bool one_kind = true;        ///< the last step equals the others
};

/// Requires extent, clusters >= 1.
Walk walk_of(const Map& map, std::int64_t extent, std::int64_t clusters);

/// One tensor under one map. Index 0: a full step, 1: the last.
struct Motion {
    std::array<std::int64_t, 2> size{1, 1};
    std::array<std::int64_t, 2> kept{1, 1};  ///< shared with the previous step
    std::int64_t first = 1;                  ///< size of the first step
    std::int64_t again = 1;                  ///< shared by the first step and the last one before it

    static Motion still(std::int64_t size) { return {{size, size}, {size, size}, size, size}; }
};

/// Three countings; see Sent.
enum class Counting : std::uint8_t { multicast, unicast, array };

/// A map irrelevant to the tensor.
Motion motion_past(const Map& map, const Walk& walk, std::int64_t clusters, Counting counting);
/// A map of a tensor dimension.
Motion motion_along(const Map& map, const Walk& walk, std::int64_t clusters, Counting counting);

/// Overlap of each tile of a temporal map with its last one, summed over all tiles.
std::int64_t overlaps_with_last(const Map& map, const Walk& walk);

/// Size of the union of `count` intervals of `length` at distance `pitch`, the last of `last`.
std::int64_t union_of(std::int64_t count, std::int64_t pitch, std::int64_t length, std::int64_t last);

}  // namespace tilewright::dataflow
