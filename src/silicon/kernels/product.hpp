// A matrix product on a machine of kernels: thread-block tile, reduction split, latency.
//
// The grid of blocks runs in waves over the multiprocessors; a block takes as long as its operations or its operands
// through the multiprocessor's inlet; meanwhile memory moves every word once, and a split's partial sums twice. The
// choice is optimal over the machine's tiles and splits: fewer than a few hundred, all evaluated.
//
// Pure functions; thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "mapping/mapping.hpp"
#include "silicon/kernels/machine.hpp"
#include "workload/einsum.hpp"

namespace tilewright::silicon {

struct Product {
    std::int64_t rows = 1;          ///< of results: tokens
    std::int64_t columns = 1;       ///< of results
    std::int64_t depth = 1;         ///< the reduction
    bool weights_resident = false;  ///< in the cache, left by an earlier kernel

    // Word size; 0: the machine's. Operations run at the rate of its words.
    double input_bytes = 0.0;
    double weight_bytes = 0.0;
    double result_bytes = 0.0;

    double input_words = 0.0;  ///< in memory, of a convolution's image; 0: rows times depth

    bool operator==(const Product&) const = default;
};

/// The mapping: a tile per block, blocks in waves. `blocks` counts those of all splits.
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
    std::int64_t compared = 0;  ///< number of mappings evaluated: all
};

/// The machine's tiles and splits for this product, at least one: from its file's list, without tiles of half padding
/// rows if there is a smaller one; a split only if its blocks leave multiprocessors idle and each part has
/// least_split_depth of the reduction.
std::vector<BlockMapping> block_mappings(const Product& product, const KernelMachine& machine);

/// Latency of one of them. Requires a machine with blocks.
ProductLatency latency_of(const Product& product, const BlockMapping& mapping, const KernelMachine& machine);

/// Blocks of any size: by the machine's fastest kernel (block_mappings()) with their split and a covering tile, the
/// rest padding. Never less than product_latency(). Empty without such a kernel. Requires a machine with blocks.
std::optional<ProductLatency> latency_of_blocks(const Product& product, const BlockMapping& blocks,
                                                const KernelMachine& machine);

/// The best mapping with its latency; the first of equals.
ProductLatency product_latency(const Product& product, const KernelMachine& machine);

/// Roofline: max(operations / rate, bytes / bandwidth) of the data sheet, us.
double roofline_us(const Product& product, const KernelMachine& machine);

/// A matrix product of one batch, or empty. A 1x1 convolution of stride 1 is one.
std::optional<Product> product_of(const Einsum& einsum);

// Conversion between a tile and split of an implicit matrix product and a mapping on its machine's levels.
//
// Outside the multiprocessors lie the waves and the reduction steps; blocks are spread over the multiprocessors, parts
// of a split reduction among them; inside, a tile is spread over the lanes.
//
// Pure functions; thread-safe.

/// `keep`: tensors by level. A tile is cut to a rectangle of the layer's dimensions (block_extents()). Empty for no
/// product, or an architecture without fan-outs to the multiprocessors and inside one.
std::optional<Mapping> mapping_of(const BlockMapping& blocks, const Einsum& einsum, const Architecture& architecture,
                                  const std::vector<TensorSet>& keep, const KernelMachine& machine);

/// A block's tile is the multiprocessor memory's contents, the split the spatial part of the reduction. Or the reason
/// for none: no matrix product, or an uneven mapping.
std::variant<BlockMapping, std::string> blocks_of(const Einsum& einsum, const Architecture& architecture,
                                                  const Mapping& mapping, const KernelMachine& machine);

}  // namespace tilewright::silicon
