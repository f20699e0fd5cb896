// A machine running layers as kernels: a GPU, with waves of thread blocks on its multiprocessors, or a chip with a few
// large matrix units (a TPU), taking a layer whole and padded.
//
// Data-sheet numbers follow from the architecture (rates, bandwidth, multiprocessors, clock); the section `silicon`
// adds caches, the software's tiles, and calibration. Without calibration launches take no time and all rates are
// reached.
//
// Values, read by silicon/files; thread-safe.
#pragma once

#include <cstdint>
#include <vector>

namespace tilewright::silicon {

/// One thread block's outputs of a matrix product.
struct Tile {
    std::int64_t rows = 1;
    std::int64_t columns = 1;

    bool operator==(const Tile&) const = default;
};

/// Reached shares of the data sheet: at most four numbers, each from a row named by the machine's file.
struct Calibration {
    double launch_us = 0.0;
    double compiled_launch_us = -1.0;  ///< of compiler-generated operators; below 0: as for others
    double bandwidth_share = 1.0;      ///< of memory_bytes_per_us
    double rate_share = 1.0;           ///< of operations_per_us
    double cache_bytes_per_us = 0.0;   ///< from the last-level cache; 0: unknown, all from memory

    bool operator==(const Calibration&) const = default;
};

struct KernelMachine {
    // Data sheet.
    double operations_per_us = 0.0;  ///< of the matrix units together; a multiply-accumulate is two
    double memory_bytes_per_us = 0.0;
    double clock_per_us = 0.0;  ///< cycles
    std::int64_t multiprocessors = 1;
    int unit_level = 0;               ///< the memory of one multiprocessor, a level of the architecture
    double inlet_bytes_per_us = 0.0;  ///< into one multiprocessor; 0: never binds
    double cache_bytes = 0.0;
    std::int64_t word_bytes = 2;
    double exponentials_per_us = 0.0;  ///< of one multiprocessor; 0: never binds
    double plain_rate_share = 1.0;     ///< of the rate, for kernels without the machine's newest matrix instructions

    // Software: thread blocks, or (without tiles) matrix units padding a layer to multiples of these.
    std::vector<Tile> tiles;
    std::vector<std::int64_t> splits{1};   ///< of the reduction, over more blocks; increasing
    std::int64_t depth_step = 64;          ///< of the reduction, in one step of a block
    std::int64_t least_split_depth = 256;  ///< minimum reduction per block of a split
    std::int64_t unit_rows = 1;
    std::int64_t unit_columns = 1;
    std::int64_t unit_depth = 1;

    double overlap_exponent = 4.0;  ///< of compute and memory: (a^x + b^x)^(1/x)
    double cache_share = 0.5;       ///< of the cache, holding the previous kernel's output

    Calibration published;    ///< by its makers or in papers: valid without a measurement of one's own
    Calibration calibration;  ///< the one in use

    double reached_operations_per_us() const { return operations_per_us * calibration.rate_share; }
    double reached_bytes_per_us() const { return memory_bytes_per_us * calibration.bandwidth_share; }
    bool has_blocks() const { return !tiles.empty(); }

    bool operator==(const KernelMachine&) const = default;
};

/// (a^x + b^x)^(1/x): the longer of two overlapping times, and a little more if they are equal.
double overlapped(double a, double b, double exponent);

// A layer without matrix products: its kernels' traffic and launches.
//
// Norms, activations, softmax, gathers. The software's kernels are listed; the ideal is one fused pass. The half of the
// last-level cache left by the previous kernel serves bytes up to its size.
//
// Pure functions; thread-safe.

struct Stream {
    double ideal_bytes = 0.0;  ///< of one fused pass
    std::int64_t kernels = 1;
    double bytes = 0.0;           ///< moved by all kernels
    double repeated_bytes = 0.0;  ///< of these, re-read at once by the same kernel
    double cold_bytes = 0.0;      ///< of these, certainly uncached: rows of a table
    bool is_compiled = false;     ///< launched as compiled operators are

    bool operator==(const Stream&) const = default;
};

/// As run by the software, us.
double stream_us(const Stream& stream, const KernelMachine& machine);

/// Roofline: one launch and one pass from memory, us; without calibration of its own.
double fused_us(const Stream& stream, const KernelMachine& machine);

}  // namespace tilewright::silicon
