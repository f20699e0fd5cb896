// A matrix product on a machine of kernels: which tile each thread block makes, over how many blocks the reduction is
// split, and how long that takes.
//
// The grid of blocks runs in waves over the multiprocessors; a block takes as long as its operations or as its operands
// through the inlet of its multiprocessor; meanwhile memory moves every word once, and the partial sums of a split
// twice. The choice is the best of all tiles and splits that the machine has: fewer than a few hundred, all of which
// are computed, so that none is better.
//
// Pure functions; thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "silicon/kernels/machine.hpp"
#include "workload/einsum.hpp"

namespace tilewright::silicon {

struct Product {
    std::int64_t rows = 1;          ///< of results: tokens
    std::int64_t columns = 1;       ///< of results
    std::int64_t depth = 1;         ///< that is summed over
    bool weights_resident = false;  ///< they lie in the cache, put there by something before

    // Of a word; 0: as many as the machine's words have. Operations are as fast as of those.
    double input_bytes = 0.0;
    double weight_bytes = 0.0;
    double result_bytes = 0.0;

    bool operator==(const Product&) const = default;
};

/// The mapping: a tile for each block, blocks in waves. `blocks` counts those of all splits.
struct BlockMapping {
    Tile tile;
    std::int64_t split = 1;
    std::int64_t blocks = 1;
    std::int64_t waves = 1;

    bool operator==(const BlockMapping&) const = default;
};

struct ProductLatency {
    double us = 0.0;
    double launch_us = 0.0;
    double block_us = 0.0;  ///< all waves
    double memory_us = 0.0;
    bool inlet_binds = false;
    BlockMapping mapping;       ///< of a machine without blocks: the whole product in one
    std::int64_t compared = 0;  ///< mappings that were computed, the best included: all there are
};

/// Every tile and split that the machine takes for this product, at least one: of those that its file lists, no tile of
/// which half the rows would be padding while there is a smaller one, and a split only where its blocks leave
/// multiprocessors idle and each part has least_split_depth of the reduction.
std::vector<BlockMapping> block_mappings(const Product& product, const KernelMachine& machine);

/// The time of one of them. Requires a machine with blocks.
ProductLatency latency_of(const Product& product, const BlockMapping& mapping, const KernelMachine& machine);

/// Blocks of any size, as the machine runs them: by the quickest of its kernels (block_mappings()) that has their split
/// and a tile that covers theirs, whose rest is padding. Never less than product_latency(). Nothing: there is no such
/// kernel. Requires a machine with blocks.
std::optional<ProductLatency> latency_of_blocks(const Product& product, const BlockMapping& blocks,
                                                const KernelMachine& machine);

/// The best mapping and its time; the first of equals.
ProductLatency product_latency(const Product& product, const KernelMachine& machine);

/// max(operations / rate, bytes / bandwidth) of the data sheet, us: what a roofline says.
double roofline_us(const Product& product, const KernelMachine& machine);

/// A matrix product of one batch, or nothing where the layer is none. A 1x1 convolution of stride 1 is one.
std::optional<Product> product_of(const Einsum& einsum);

}  // namespace tilewright::silicon
