// Demands of a layer's tiles on a systolic machine: computations, requests and writes, and cache misses. Depends on
// sizes only; systolic/latency.hpp adds the cycles.
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

/// Rows of a computation, and the number of such computations per weight block.
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
    double zero_rows = 0.0;  ///< written inside: padding, and cleared sums
    double writes = 0.0;
};

/// Share of a tensor's requests leaving each cache, nearest first.
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
