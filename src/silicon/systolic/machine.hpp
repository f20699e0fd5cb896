// A systolic array with its DMA engine, as built: what the plain model leaves out of a latency.
//
// The array is two fan-outs of a machine: columns make different output channels, rows different input channels.
// Weights stay; rows of inputs stream through, skewed by a cycle from row to row and from column to column. One
// computation takes a block of rows of one weight block; the weights of the next block are preloaded meanwhile. A DMA
// engine moves requests of at most `request_bytes` between DRAM, behind caches, and a scratchpad that holds
// `tiles_in_flight` tiles.
//
// Values, read by silicon/files; thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tilewright::silicon {

struct SystolicArray {
    std::int64_t rows = 1;        ///< of multipliers: input channels at a time
    std::int64_t columns = 1;     ///< output channels at a time
    std::int64_t block_rows = 1;  ///< rows of inputs that one computation takes at most
    std::int64_t least_rows = 1;  ///< a computation of fewer takes as long as one of these
    double skew_cycles = 1.0;     ///< a word is later by this at each next row and column
    /// Of loading a block of weights; a computation that overlaps it takes at least as long.
    double preload_cycles = 0.0;
    bool preload_behind = true;  ///< weights of the next block load behind a computation; else before each block
    /// From the start of a computation until its results are written and its place is free, beside `held_per_row` for
    /// each of its rows. It contains the fill and the drain.
    double latency_cycles = 0.0;
    double held_per_row = 1.0;
    std::int64_t in_flight = 1;  ///< computations that hold a place at the same time
    int columns_level = 0;       ///< levels of the architecture that have the two fan-outs below them
    int rows_level = 0;

    /// Until the last row and column have their first word: the array fills.
    double fill_cycles() const { return skew_cycles * static_cast<double>(rows - 1); }
    /// From there until the last column has given its last result.
    double drain_cycles() const { return skew_cycles * static_cast<double>(columns - 1); }

    bool operator==(const SystolicArray&) const = default;
};

/// Between the DMA engine and DRAM, nearest to the engine first.
struct Cache {
    std::string name;
    std::int64_t bytes = 0;
    std::int64_t line_bytes = 1;
    /// Random replacement keeps part of what is swept over and over; otherwise (least recently used) nothing stays.
    bool random_replacement = false;
    double read_miss_cycles = 0.0;   ///< added for each line that is not here
    double write_miss_cycles = 0.0;  ///< the same for a line that is written: it is read, and later written back

    bool operator==(const Cache&) const = default;
};

struct Dma {
    std::int64_t request_bytes = 64;        ///< of one request at most; a request does not cross a multiple of this
    double request_cycles = 1.0;            ///< of one request that the first cache has
    std::int64_t store_bytes = 64;          ///< one write of a convolution's results
    std::int64_t product_store_bytes = 64;  ///< the same of a matrix product's

    bool operator==(const Dma&) const = default;
};

struct SystolicMachine {
    SystolicArray array;
    Dma dma;
    std::vector<Cache> caches;
    std::int64_t word_bytes = 1;       ///< of inputs, weights and finished results
    std::int64_t tiles_in_flight = 1;  ///< 2: a tile loads while the one before computes
    double start_cycles = 0.0;         ///< of a layer

    bool operator==(const SystolicMachine&) const = default;
};

/// What contradicts itself, in words, or "": a block of fewer rows than the least, a latency shorter than fill and
/// drain together, weights that cannot hide behind any computation of a block, nothing in flight, a cache smaller than
/// its line. `where` becomes the key that is wrong.
std::string problem_with(const SystolicMachine& machine, std::string& where);

}  // namespace tilewright::silicon
