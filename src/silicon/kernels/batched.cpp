#include "silicon/kernels/batched.hpp"

#include <algorithm>

#include "base/numbers/checked.hpp"
#include "workload/shapes.hpp"

namespace tilewright::silicon {
namespace {

ProductLatency together(ProductLatency one, double count, const KernelMachine& machine) {
    one.memory_us *= count;
    one.us = one.launch_us + overlapped(one.block_us, one.memory_us, machine.overlap_exponent);
    return one;
}

std::int64_t extent_of(const Einsum& einsum, const char* name) {
    const int dimension = find_dimension(einsum, name);
    return dimension < 0 ? 1 : einsum.dimensions[dimension].extent;
}

}  // namespace

std::vector<BlockMapping> block_mappings(const ProductBatch& batch, const KernelMachine& machine) {
    std::vector<BlockMapping> mappings = block_mappings(batch.each, machine);
    for (BlockMapping& mapping : mappings) {
        mapping.blocks = checked_mul(mapping.blocks, batch.count);
        mapping.waves = ceil_div(mapping.blocks, machine.multiprocessors);
    }
    return mappings;
}

ProductLatency latency_of(const ProductBatch& batch, const BlockMapping& mapping, const KernelMachine& machine) {
    return together(latency_of(batch.each, mapping, machine), static_cast<double>(batch.count), machine);
}

ProductLatency batch_latency(const ProductBatch& batch, const KernelMachine& machine) {
    if (!machine.has_blocks()) {
        ProductLatency all = product_latency(batch.each, machine);
        all.block_us *= static_cast<double>(batch.count);
        return together(all, static_cast<double>(batch.count), machine);
    }
    const std::vector<BlockMapping> mappings = block_mappings(batch, machine);
    std::optional<ProductLatency> best;
    for (const BlockMapping& mapping : mappings) {
        const ProductLatency all = latency_of(batch, mapping, machine);
        if (!best || all.us < best->us) best = all;
    }
    best->compared = static_cast<std::int64_t>(mappings.size());
    return *best;
}

std::optional<ProductBatch> batch_of(const Einsum& einsum) {
    const std::int64_t groups = extent_of(einsum, "G");
    const Product each{extent_of(einsum, "N"), extent_of(einsum, "K"), extent_of(einsum, "C"), false};
    Einsum like = batched_matmul(groups, each.rows, each.depth, each.columns);
    if (like.dimensions != einsum.dimensions || like.tensors.size() != einsum.tensors.size()) return std::nullopt;
    for (std::size_t t = 0; t < like.tensors.size(); ++t) like.tensors[t].bits = einsum.tensors[t].bits;
    if (like.tensors != einsum.tensors) return std::nullopt;
    return ProductBatch{each, groups};
}

}  // namespace tilewright::silicon
