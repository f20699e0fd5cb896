// Small random problems for tests: every edge case of a tiling turns up (edge tiles, one tile, long chains, halos,
// words of every width).
#pragma once

#include "base/numbers/random.hpp"
#include "schedule/problem/graph.hpp"

namespace tilewright::schedule {

/// At most `most_operations` operations, on a machine that can hold at least one of them.
inline Problem random_problem(Random& random, std::int64_t most_operations) {
    while (true) {
        Problem problem;
        ConvLayer& layer = problem.layer;
        layer.out_w = random.between(1, 6);
        layer.out_h = random.between(1, 6);
        layer.in_c = random.between(1, 8);
        layer.out_c = random.between(1, 8);
        layer.kernel_w = random.between(1, 3);
        layer.kernel_h = random.between(1, 3);
        layer.stride_w = random.between(1, 2);
        layer.stride_h = random.between(1, 2);
        const PerDim all = extents(layer);
        for (std::size_t d = 0; d < kDims; ++d) problem.tiling.value[d] = random.between(1, all.value[d]);
        if (operation_count(problem) > most_operations) continue;
        MultiNpu& machine = problem.machine;
        machine.name = "random";
        machine.cores = random.between(1, 4);
        machine.dma_channels = random.chance(0.2) ? 2 : 1;
        machine.bytes_per_cycle = random.between(1, 16);
        machine.element_bytes.partial_sum = random.chance(0.5) ? 4 : 1;
        if (random.chance(0.3)) {
            const std::int64_t step = random.chance(0.5) ? 8 : 1;
            WordBits& bits = layer.bits;
            bits = {step * random.between(1, 4), step * random.between(1, 4), step * random.between(1, 4), 0};
            bits.partial_sum = bits.output + step * random.between(0, 4);
        }
        machine.array = {random.between(1, 4), random.between(1, 4), random.between(0, 3)};
        std::int64_t bytes = 0;
        for (int operand = 0; operand < kOperands; ++operand)
            bytes += largest_block(problem, static_cast<Operand>(operand));
        machine.scratchpad_bytes = bytes + random.between(0, bytes * 3);
        return problem;
    }
}

}  // namespace tilewright::schedule
