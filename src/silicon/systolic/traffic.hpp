// Demands of a layer's tiles on a systolic machine: computations, requests and writes, and cache misses. Depends on
// sizes only; systolic/latency.hpp adds the cycles.
//
// Tiles of equal demands are one entry with a count: edges are cut, images end, reductions begin and end.
//
// Pure functions; thread-safe.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
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

// Lines of each tensor leaving a cache: the loops around the tiles, from the inside, with one iteration's footprint.
//
// A loop of n steps multiplies the missing lines by the growth of the tensor's footprint for the cached share of the
// inner footprint, and by n for the rest. The layer is assumed to have run before: a fitting footprint is warm.
//
// Pure functions; thread-safe.

struct LineCounts {
    double inputs = 0.0;
    double weights = 0.0;
    double outputs = 0.0;
};

/// In requests of `request_bytes`.
LineCounts cache_misses(const TiledLayer& layer, const SystolicMachine& machine, const Cache& cache);

/// Share of a footprint still cached at the next sweep: 1 if it fits. Otherwise 0 under least-recently-used
/// replacement, and under random replacement the solution of h = exp(-(1 - h) * footprint / capacity).
double share_kept(double footprint_over_capacity, bool random_replacement);

// Demands of a layer's tiles, kind by kind: the summands of traffic_of() before caches.

/// Tiles of a convolution: the input window is cut at the image, sums are cleared at a reduction's first tile and
/// written at its last. Of a matrix product: nothing is cleared.
std::vector<TileDemand> demands_of(const TiledLayer& layer, const SystolicMachine& machine);

/// The demands of every tile in loop order; each has a count of 1.
void for_each_tile(const TiledLayer& layer, const SystolicMachine& machine,
                   const std::function<void(const TileDemand&)>& take);

/// Mean requests per `request` bytes of rows of `stride` bytes: an unaligned row crosses a boundary now and then.
double requests_per_piece(std::int64_t stride_bytes, std::int64_t request_bytes);

}  // namespace tilewright::silicon
