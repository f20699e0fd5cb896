// A machine that runs layers as kernels: a GPU, whose multiprocessors take thread blocks in waves, or a chip with a few
// large matrix units (a TPU), which takes a layer whole and pads it.
//
// Numbers of the data sheet follow from the architecture (rates, bandwidth, multiprocessors, clock); the section
// `silicon` adds caches, the tiles that its software has, and what was calibrated. Without calibration launches take no
// time and all rates are reached.
//
// Values, read by silicon/files; thread-safe.
#pragma once

#include <cstdint>
#include <vector>

namespace tilewright::silicon {

/// Of the outputs of a matrix product: what one thread block makes.
struct Tile {
    std::int64_t rows = 1;
    std::int64_t columns = 1;

    bool operator==(const Tile&) const = default;
};

/// What a machine reaches of its data sheet: at most four numbers, each from a row that the machine's file names.
struct Calibration {
    double launch_us = 0.0;
    double compiled_launch_us = -1.0;  ///< of operators that a compiler made; below 0: as long as others
    double bandwidth_share = 1.0;      ///< of memory_bytes_per_us
    double rate_share = 1.0;           ///< of operations_per_us
    double cache_bytes_per_us = 0.0;   ///< from the last-level cache; 0: unknown, all comes from memory

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
    double exponentials_per_us = 0.0;  ///< of one multiprocessor; 0: never bind
    double plain_rate_share = 1.0;     ///< of the rate, for kernels without the machine's newest matrix instructions

    // Software: thread blocks, or (without tiles) matrix units that pad a layer to multiples of these.
    std::vector<Tile> tiles;
    std::vector<std::int64_t> splits{1};   ///< of the reduction, over more blocks; increasing
    std::int64_t depth_step = 64;          ///< of the reduction, in one step of a block
    std::int64_t least_split_depth = 256;  ///< a split leaves each block at least this much of the reduction
    std::int64_t unit_rows = 1;
    std::int64_t unit_columns = 1;
    std::int64_t unit_depth = 1;

    double overlap_exponent = 4.0;  ///< of compute and memory: (a^x + b^x)^(1/x)
    double cache_share = 0.5;       ///< of the cache, which holds what the kernel before wrote

    Calibration published;    ///< by its makers or in papers: what stands without a measurement of one's own
    Calibration calibration;  ///< what counts

    double reached_operations_per_us() const { return operations_per_us * calibration.rate_share; }
    double reached_bytes_per_us() const { return memory_bytes_per_us * calibration.bandwidth_share; }
    bool has_blocks() const { return !tiles.empty(); }

    bool operator==(const KernelMachine&) const = default;
};

/// (a^x + b^x)^(1/x): the longer of two things that overlap, and a little more where they are equal.
double overlapped(double a, double b, double exponent);

}  // namespace tilewright::silicon
