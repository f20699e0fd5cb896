// Matrix products of equal sizes side by side in one kernel: heads of attention, experts. Pure; thread-safe.
#pragma once

#include <optional>

#include "silicon/kernels/product.hpp"

namespace tilewright::silicon {

struct ProductBatch {
    Product each;
    std::int64_t count = 1;

    bool operator==(const ProductBatch&) const = default;
};

/// Blocks of all products share the waves; memory moves every word of each; one launch. For one product:
/// product_latency().
ProductLatency batch_latency(const ProductBatch& batch, const KernelMachine& machine);

/// The machine's kernels for such a batch: block_mappings() of each, with the blocks of all.
std::vector<BlockMapping> block_mappings(const ProductBatch& batch, const KernelMachine& machine);

/// Of one of them. Requires a machine with blocks.
ProductLatency latency_of(const ProductBatch& batch, const BlockMapping& mapping, const KernelMachine& machine);

/// The layer as such a batch, if it has groups (workload/shapes.hpp: rank G) and is otherwise a product.
std::optional<ProductBatch> batch_of(const Einsum& einsum);

}  // namespace tilewright::silicon
