// A systolic array with its DMA engine, as built: latency details beyond the plain model.
//
// The array is two fan-outs of a machine: columns make output channels, rows take input channels. Weights are
// stationary; input rows stream through, skewed by a cycle per row and column. One computation takes a block of rows of
// one weight block, while the next block's weights preload. A DMA engine moves requests of at most `request_bytes`
// between DRAM, behind caches, and a scratchpad of `tiles_in_flight` tiles.
//
// Values, read by silicon/files; thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "silicon/systolic/tiled_layer.hpp"

namespace tilewright::silicon {

struct SystolicArray {
    std::int64_t rows = 1;        ///< of multipliers: input channels at a time
    std::int64_t columns = 1;     ///< output channels at a time
    std::int64_t block_rows = 1;  ///< maximum input rows of one computation
    std::int64_t least_rows = 1;  ///< minimum charge of a computation
    double skew_cycles = 1.0;     ///< delay of a word per row and column
    /// Of loading a block of weights; an overlapping computation takes at least as long.
    double preload_cycles = 0.0;
    bool preload_behind = true;  ///< weights of the next block load behind a computation; else before each block
    /// From a computation's start until its results are written and its place is free, beside `held_per_row` per row.
    /// Includes fill and drain.
    double latency_cycles = 0.0;
    double held_per_row = 1.0;
    std::int64_t in_flight = 1;  ///< computations holding a place at the same time
    int columns_level = 0;       ///< levels of the architecture directly above the two fan-outs
    int rows_level = 0;

    /// Until the last row and column have their first word.
    double fill_cycles() const { return skew_cycles * static_cast<double>(rows - 1); }
    /// From there until the last column's last result.
    double drain_cycles() const { return skew_cycles * static_cast<double>(columns - 1); }

    bool operator==(const SystolicArray&) const = default;
};

/// Between the DMA engine and DRAM, nearest to the engine first.
struct Cache {
    std::string name;
    std::int64_t bytes = 0;
    std::int64_t line_bytes = 1;
    /// Random replacement keeps part of a repeated sweep; least recently used keeps nothing.
    bool random_replacement = false;
    double read_miss_cycles = 0.0;   ///< per missing line
    double write_miss_cycles = 0.0;  ///< the same for a written line: read, and later written back

    bool operator==(const Cache&) const = default;
};

struct Dma {
    std::int64_t request_bytes = 64;        ///< per request; a request does not cross a multiple of this
    double request_cycles = 1.0;            ///< of a request hitting the first cache
    std::int64_t store_bytes = 64;          ///< one write of a convolution's results
    std::int64_t product_store_bytes = 64;  ///< the same of a matrix product's

    bool operator==(const Dma&) const = default;
};

struct SystolicMachine {
    SystolicArray array;
    Dma dma;
    std::vector<Cache> caches;
    std::int64_t word_bytes = 1;       ///< of inputs, weights and final results
    std::int64_t tiles_in_flight = 1;  ///< 2: a tile loads during the computation of the previous one
    double start_cycles = 0.0;         ///< of a layer

    bool operator==(const SystolicMachine&) const = default;
};

/// A contradiction in words, or "": a block of fewer rows than the minimum, a latency shorter than fill and drain
/// together, weights too slow to hide behind a block's computations, nothing in flight, a cache smaller than its line.
/// `where` becomes the wrong key.
std::string problem_with(const SystolicMachine& machine, std::string& where);

// A tile's capacity in scratchpad and accumulator, in rows of the array's width.
//
// Pure functions; thread-safe.

/// Capacity of one tile: rows of `width` words.
struct Room {
    std::int64_t width = 16;
    std::int64_t scratchpad_rows = 8192;  ///< half of 256 KiB
    std::int64_t accumulator_rows = 512;  ///< half of 64 KiB of 32-bit sums
};

/// Rows of a tile; a window of q rows at stride s under a kernel of S takes q * s + S - 1 pixel rows.
std::int64_t scratchpad_rows(const TiledLayer& layer, const AxisExtents& tile, const Room& room);
std::int64_t accumulator_rows(const TiledLayer& layer, const AxisExtents& tile, const Room& room);
bool fits(const TiledLayer& layer, const AxisExtents& tile, const Room& room);

/// Tile capacity of the nearest memory inside DRAM keeping inputs, and of the one keeping results next to the array's
/// rows; `keep`: tensors by level, as constrained. Empty if a memory is unlimited or missing.
std::optional<Room> room_of(const Einsum& einsum, const Architecture& architecture, const std::vector<TensorSet>& keep,
                            const SystolicMachine& machine);

// A tiled layer as a mapping on its machine's levels.
//
// Pure functions; thread-safe.

/// Loops around tiles at the outermost memory; inside, blocks of output channels, the kernel, blocks of input channels,
/// then output rows and columns: the hardware's sweep of a tile. Empty if the factors cannot cover a dimension exactly.
std::optional<Mapping> mapping_of(const TiledLayer& layer, const Einsum& einsum, const Architecture& architecture,
                                  const std::vector<TensorSet>& keep, const SystolicMachine& machine);

}  // namespace tilewright::silicon
