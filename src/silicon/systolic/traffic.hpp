// What the tiles of a layer ask of a systolic machine: computations, requests and writes, and how many of those miss
// the caches. It depends on sizes only; systolic/latency.hpp gives it the cycles.
//
// Tiles of equal demands are one entry with a count: edges are cut, images end, reductions begin and end.
//
// Pure functions; thread-safe.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "silicon/systolic/machine.hpp"
#include "silicon/systolic/tiled_layer.hpp"

namespace tilewright::silicon {

/// Rows that a computation takes, and how many computations of a weight block take so many.
struct Pieces {
    std::int64_t rows = 0;
    double count = 0.0;
};

/// One kind of tile.
struct TileDemand {
    double count = 0.0;            ///< tiles of this kind
    double weight_blocks = 0.0;    ///< each is swept over the pieces
    std::array<Pieces, 2> pieces;  ///< whole ones, and the cut one at the end of a row
    bool starts_whole = true;      ///< the first piece is a whole one
    double input_requests = 0.0;
    double weight_requests = 0.0;
    double zero_rows = 0.0;  ///< written inside: padding, and sums that are cleared
    double writes = 0.0;
};

/// Of the requests of one tensor, the share that leaves each cache, nearest first.
struct Misses {
    std::vector<double> inputs;
    std::vector<double> weights;
    std::vector<double> outputs;
};

struct Traffic {
    std::vector<TileDemand> tiles;
    double tile_count = 0.0;
    Misses misses;
};

Traffic traffic_of(const TiledLayer& layer, const SystolicMachine& machine);

}  // namespace tilewright::silicon
