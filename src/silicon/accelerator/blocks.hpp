// An accelerator's kernels for implicit products, in the terms of silicon/kernels; the best of a machine's kernels for
// a layer; those for given blocks.
//
// Pure functions; thread-safe.
#pragma once

#include <optional>

#include "silicon/accelerator/product.hpp"
#include "silicon/kernels/implicit.hpp"

namespace tilewright::silicon {

std::vector<BlockMapping> block_mappings(const ProductBatch& batch, const Accelerator& machine);
ProductLatency latency_of(const ProductBatch& batch, const BlockMapping& mapping, const Accelerator& machine);

inline std::int64_t places_of(const KernelMachine& machine) { return machine.multiprocessors; }
inline std::int64_t places_of(const Accelerator& machine) {
    return static_cast<std::int64_t>(machine.sheet.multiprocessors);
}

/// The layer's blocks in one of the machine's kernels: its tile as a rectangle of the layer's dimensions.
template <class Machine>
BlockMapping with_rectangle(BlockMapping kernel, const ImplicitProduct& product, const Einsum& einsum,
                            const Machine& machine) {
    const Extents block = block_extents(product, einsum, kernel.tile, kernel.split, 1);
    kernel.blocks = blocks_of_one(product, einsum, block) * product.batch.count * kernel.split;
    kernel.waves = (kernel.blocks + places_of(machine) - 1) / places_of(machine);
    return kernel;
}

/// The fastest of all kernels; the first of equals. `compared`: their number.
template <class Machine>
ProductLatency best_kernel(const ImplicitProduct& product, const Einsum& einsum, const Machine& machine) {
    std::optional<ProductLatency> best;
    std::int64_t compared = 0;
    for (const BlockMapping& kernel : block_mappings(product.batch, machine)) {
        if (!can_split(product, einsum, kernel.split)) continue;
        ++compared;
        const ProductLatency one = latency_of(product.batch, with_rectangle(kernel, product, einsum, machine), machine);
        if (!best || one.us < best->us) best = one;
    }
    best->compared = compared;
    return *best;
}

/// Blocks of any size: by the machine's fastest kernel with their split and a covering tile, the rest padding. Never
/// less than best_kernel(). Empty without such a kernel.
template <class Machine>
std::optional<ProductLatency> latency_of_blocks(const ImplicitProduct& product, const BlockMapping& blocks,
                                                const Machine& machine) {
    std::optional<ProductLatency> best;
    for (const BlockMapping& kernel : block_mappings(product.batch, machine)) {
        const bool covers = kernel.tile.rows >= blocks.tile.rows && kernel.tile.columns >= blocks.tile.columns;
        if (!covers || kernel.split != blocks.split) continue;
        const ProductLatency run =
            latency_of(product.batch, {kernel.tile, kernel.split, blocks.blocks, blocks.waves}, machine);
        if (!best || run.us < best->us) best = run;
    }
    return best;
}

}  // namespace tilewright::silicon
