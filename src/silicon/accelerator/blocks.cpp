#include "silicon/accelerator/blocks.hpp"

#include "base/numbers/checked.hpp"

namespace tilewright::silicon {
namespace {

ProductWork work_of(const ProductBatch& batch) {
    ProductWork work;
    work.size = {static_cast<double>(batch.each.rows), static_cast<double>(batch.each.columns),
                 static_cast<double>(batch.each.depth)};
    work.count = static_cast<double>(batch.count);
    work.input_words = batch.each.input_words;
    return work;
}

}  // namespace

std::vector<BlockMapping> block_mappings(const ProductBatch& batch, const Accelerator& machine) {
    std::vector<BlockMapping> mappings;
    for (const ProductKernel& kernel : product_kernels(machine.sheet, work_of(batch))) {
        const std::int64_t grid = ceil_div(batch.each.rows, kernel.rows) * ceil_div(batch.each.columns, kernel.columns);
        const std::int64_t blocks = checked_mul(checked_mul(grid, kernel.split), batch.count);
        mappings.push_back({{kernel.rows, kernel.columns}, kernel.split, blocks, ceil_div(blocks, places_of(machine))});
    }
    return mappings;
}

ProductLatency latency_of(const ProductBatch& batch, const BlockMapping& mapping, const Accelerator& machine) {
    const double grid =
        static_cast<double>(mapping.blocks) / static_cast<double>(batch.count) / static_cast<double>(mapping.split);
    const ProductTime time =
        product_time(machine, work_of(batch), {mapping.tile.rows, mapping.tile.columns, mapping.split}, grid);
    ProductLatency latency;
    latency.us = time.us;
    latency.launch_us = time.launch_us;
    latency.block_us = time.block_us;
    latency.memory_us = time.memory_us;
    latency.inlet_binds = time.inlet_binds;
    latency.mapping = mapping;
    latency.compared = 1;
    return latency;
}

}  // namespace tilewright::silicon
