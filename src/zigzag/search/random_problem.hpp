// Random layers, machines and spatial mappings for the tests that hold the order evaluator against the readable
// functions: with strides, dilation, padding, depthwise operands, memories shared in all ways, and fractions.
#pragma once

#include <algorithm>
#include <vector>

#include "base/numbers/random.hpp"
#include "zigzag/accounting/allocation.hpp"
#include "zigzag/accounting/loop_factors.hpp"
#include "zigzag/lean/order_evaluator.hpp"
#include "zigzag/values/sample.hpp"

namespace tilewright::zigzag {

struct RandomProblem {
    Layer layer;
    Accelerator machine;
    ArrayUnrolling unrolling;
    SpatialMapping fractional;
    SpatialMapping whole;
    Evenness evenness = Evenness::uneven;
    std::vector<TemporalLoop> loops;

    OrderEvaluator evaluator() const { return {machine, layer, fractional, whole, loops, evenness}; }
    std::variant<UnevenMapping, Shortage> allocated(std::span<const TemporalLoop> order) const {
        return allocate(machine, layer, fractional, order, evenness);
    }

    std::vector<TemporalLoop> random_order(Random& random) const {
        std::vector<TemporalLoop> order = loops;
        for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
        return order;
    }
};

namespace random_problem_detail {

inline Layer random_layer(Random& random) {
    const auto any_of = [&](std::vector<std::int64_t> values) { return values[random.below(values.size())]; };
    const std::int64_t filter = any_of({1, 1, 3, 5});
    Layer layer = sample::convolution({any_of({1, 1, 2}), any_of({1, 8, 12, 30}), any_of({1, 3, 16, 17}),
                                       any_of({1, 7, 14, 55}), any_of({1, 6, 13, 34}), filter, any_of({filter, 1})},
                                      {any_of({1, 1, 2, 4}), any_of({1, 1, 2})});
    for (DimensionRelation& window : layer.windows) {
        window.padding = any_of({0, 0, 1});
        window.size = 0;
    }
    layer.operands[0].precision_bits = any_of({16, 24});
    layer.operands[0].final_precision_bits = any_of({8, 16});
    if (random.chance(0.2)) layer.windows.pop_back(), layer.operands[2].axes.back() = {false, sample::OX};
    if (random.chance(0.2)) layer.operands.pop_back();
    derive(layer);
    return problem_with(layer).empty() ? layer : random_layer(random);
}

// Registers for each operand or for two together, a buffer for some, a DRAM for all; served dimensions at random.
inline Accelerator random_machine(Random& random) {
    using enum MemoryOperand;
    using sample::memory;
    const auto served = [&]() -> std::vector<int> {
        if (random.chance(0.4)) return {};
        if (random.chance(0.5)) return {static_cast<int>(random.below(2))};
        return {0, 1};
    };
    Accelerator machine;
    machine.array = {{"D1", 1 + static_cast<std::int64_t>(random.below(14))},
                     {"D2", 1 + static_cast<std::int64_t>(random.below(12))}};
    machine.unit_energy_pj = 0.5;
    const auto size = [&](std::int64_t least, int doublings) {
        return least << random.below(static_cast<std::uint64_t>(doublings));
    };
    if (random.chance(0.3)) {
        machine.memories.push_back(memory("rf_iw", size(16, 7), 8, {i1, i2}, served()));
    } else {
        machine.memories.push_back(memory("rf_i", size(8, 8), 8, {i1}, served()));
        if (random.chance(0.8)) machine.memories.push_back(memory("rf_w", size(8, 8), 8, {i2}, served()));
    }
    machine.memories.push_back(memory("rf_o", size(16, 6), 24, {o}, served()));
    const std::vector<std::vector<MemoryOperand>> holders{{i1, o}, {i2, i1, o}, {o, i2}, {i1}};
    if (random.chance(0.9))
        machine.memories.push_back(memory("buffer", size(1024, 10), 64, holders[random.below(holders.size())], {0, 1}));
    machine.memories.push_back(
        memory("dram", std::int64_t{1} << (random.chance(0.1) ? 16 : 33), 64, {i1, i2, o}, {0, 1}));
    for (SharedMemory& one : machine.memories)
        for (Port& port : one.ports)
            if (random.chance(0.5)) port.bandwidth_min_bits = 8;
    derive(machine);
    return machine;
}

inline ArrayUnrolling random_unrolling(const Layer& layer, const Accelerator& machine, Random& random) {
    ArrayUnrolling unrolling(machine.array.size());
    for (std::size_t a = 0; a < unrolling.size(); ++a) {
        const int dimension = static_cast<int>(random.below(static_cast<std::uint64_t>(layer.dimension_count())));
        unrolling[a].push_back({dimension, machine.array[a].size});
    }
    return legal(machine, layer, unrolling);
}

}  // namespace random_problem_detail

inline bool leaves_no_unit(const SpatialMapping& spatial) {
    for (const auto& levels : spatial.loops)
        for (const auto& level : levels)
            if (std::any_of(level.begin(), level.end(), [](const ParallelLoop& loop) { return loop.size < 1.0; }))
                return true;
    return false;
}

inline RandomProblem random_problem(Random& random) {
    using namespace random_problem_detail;
    RandomProblem problem;
    problem.layer = random_layer(random);
    problem.machine = random_machine(random);
    const ArrayUnrolling& unrolling = problem.unrolling = random_unrolling(problem.layer, problem.machine, random);
    problem.fractional = spatial_mapping(problem.machine, problem.layer, unrolling, UnrollRounding::fractional);
    problem.whole = spatial_mapping(problem.machine, problem.layer, unrolling, UnrollRounding::whole);
    // An unrolling truncated to nothing has no meaning.
    if (leaves_no_unit(problem.whole)) return random_problem(random);
    problem.evenness = random.chance(0.5) ? Evenness::even : Evenness::uneven;
    problem.loops = limited(loop_factors(problem.layer, problem.fractional), 5 + static_cast<int>(random.below(8)));
    return problem;
}

}  // namespace tilewright::zigzag
