// Costing, annealing and enumerating loop orders of ResNet layers on an Eyeriss-like machine of 14 x 12 units. One item
// is one order, allocated to memories and costed.
#include <benchmark/benchmark.h>

#include <vector>

#include "base/numbers/random.hpp"
#include "zigzag/accounting/nest.hpp"
#include "zigzag/orders/optimal.hpp"
#include "zigzag/orders/searches.hpp"

namespace {

using namespace tilewright;
using namespace tilewright::zigzag;
using enum MemoryOperand;
using enum Direction;

SharedMemory memory(std::string name, std::int64_t size_bits, double read_pj, double write_pj,
                    std::vector<MemoryOperand> operands, std::vector<int> served, std::vector<Port> ports) {
    SharedMemory memory;
    memory.name = std::move(name);
    memory.size_bits = size_bits;
    memory.read_pj = read_pj;
    memory.write_pj = write_pj;
    memory.operands = std::move(operands);
    memory.served = std::move(served);
    memory.ports = std::move(ports);
    return memory;
}

SharedMemory scratchpad(std::string name, std::int64_t size_bits, MemoryOperand operand) {
    return memory(std::move(name), size_bits, 1.0, 1.5, {operand}, {},
                  {{"r", "read", 8, 8, {{operand, read_down}}}, {"w", "write", 8, 8, {{operand, write_from_above}}}});
}

// The hierarchy that the SALSA paper words, with sizes and energies of ZigZag's Eyeriss-like machine.
Accelerator eyeriss() {
    Accelerator machine;
    machine.array = {{"D1", 14}, {"D2", 12}};
    machine.unit_energy_pj = 0.5;
    machine.memories = {
        scratchpad("spad_I", 512, i1), scratchpad("spad_W", 512, i2),
        memory("spad_O", 128, 1.5, 2.0, {o}, {},
               {{"r", "read", 24, 24, {{o, read_down}, {o, read_up}}},
                {"w", "write", 24, 24, {{o, write_from_above}, {o, write_from_below}}}}),
        memory("glb", 8388608, 100.0, 130.0, {i1, o}, {0, 1},
               {{"up", "read_write", 384, 384, {{i1, write_from_above}, {o, write_from_above}, {o, read_up}}},
                {"down", "read_write", 384, 384, {{i1, read_down}, {o, read_down}, {o, write_from_below}}}}),
        memory("dram", 10'000'000'000, 1000.0, 1000.0, {i1, i2, o}, {0, 1},
               {{"rw",
                 "read_write",
                 64,
                 64,
                 {{i1, write_from_above},
                  {i1, read_down},
                  {i2, write_from_above},
                  {i2, read_down},
                  {o, write_from_above},
                  {o, read_down},
                  {o, write_from_below},
                  {o, read_up}}}})};
    derive(machine);
    return machine;
}

// A convolution with square filters; rows of outputs on 14, filter rows times output channels on 12.
struct Shape {
    std::int64_t outputs, size, inputs, filter;
    ArrayUnrolling unrolling;
};
enum Dimensions { K, OX, OY, C, FX, FY };

Layer convolution(const Shape& shape) {
    Layer layer;
    layer.dimensions = {{"K", shape.outputs}, {"OX", shape.size},   {"OY", shape.size},
                        {"C", shape.inputs},  {"FX", shape.filter}, {"FY", shape.filter}};
    layer.windows = {{"IX", OX, 1, FX, 1, shape.filter - 1, 0}, {"IY", OY, 1, FY, 1, shape.filter - 1, 0}};
    layer.operands.resize(3);
    const std::vector<std::vector<Axis>> axes{{{false, K}, {false, OY}, {false, OX}},
                                              {{false, K}, {false, C}, {false, FY}, {false, FX}},
                                              {{false, C}, {true, 1}, {true, 0}}};
    const std::vector<MemoryOperand> names{o, i2, i1};
    for (std::size_t i = 0; i < 3; ++i) {
        layer.operands[i].memory = names[i];
        layer.operands[i].axes = axes[i];
    }
    layer.operands[0].precision_bits = 16;
    derive(layer);
    return layer;
}

OrderEvaluator evaluator_of(const Shape& shape, Evenness evenness = Evenness::uneven) {
    const Accelerator machine = eyeriss();
    const Layer layer = convolution(shape);
    const SpatialMapping fractional = spatial_mapping(machine, layer, shape.unrolling, UnrollRounding::fractional);
    const SpatialMapping whole = spatial_mapping(machine, layer, shape.unrolling, UnrollRounding::whole);
    return {machine, layer, fractional, whole, loop_factors(layer, fractional), evenness};
}

// l1_conv has 16 prime factors, l4_conv 17 of few kinds.
const Shape kLarge{64, 56, 64, 3, {{{OY, 14}}, {{FY, 3}, {K, 4}}}};
const Shape kSmall{512, 7, 512, 3, {{{OY, 7}, {C, 2}}, {{FY, 3}, {K, 4}}}};

std::vector<LoopOrder> random_orders(const OrderEvaluator& evaluator) {
    Random random(1);
    std::vector<LoopOrder> orders(512, evaluator.first_order());
    for (LoopOrder& order : orders)
        for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
    return orders;
}

template <class Cost>
void cost_orders(benchmark::State& state, const OrderEvaluator& evaluator, Cost cost) {
    const std::vector<LoopOrder> orders = random_orders(evaluator);
    std::size_t i = 0;
    for (auto _ : state) benchmark::DoNotOptimize(cost(evaluator, orders[i++ % orders.size()]));
    state.SetItemsProcessed(state.iterations());
}

void energy(benchmark::State& state, const Shape& shape, Evenness evenness) {
    cost_orders(state, evaluator_of(shape, evenness),
                [](const OrderEvaluator& evaluator, const LoopOrder& order) { return evaluator.energy_pj(order); });
}

void energy_and_latency(benchmark::State& state, const Shape& shape) {
    cost_orders(state, evaluator_of(shape),
                [](const OrderEvaluator& evaluator, const LoopOrder& order) { return evaluator.cost(order); });
}

void salsa(benchmark::State& state, const Shape& shape) {
    const OrderEvaluator evaluator = evaluator_of(shape);
    std::uint64_t seed = 0;
    for (auto _ : state)
        benchmark::DoNotOptimize(orders::anneal_as_salsa({evaluator, {ObjectiveKind::energy}}, {}, 1000, ++seed, {}));
    state.SetItemsProcessed(1000 * state.iterations());
}

void all(benchmark::State& state, const Shape& shape) {
    const OrderEvaluator evaluator = evaluator_of(shape);
    orders::Settings settings;
    std::int64_t evaluations = 0;
    for (auto _ : state) {
        const orders::Found found = orders::search_all({evaluator, settings.objective}, settings);
        evaluations += found.evaluations;
        state.counters["energy_pj"] = found.score.value;
    }
    state.SetItemsProcessed(evaluations);
}

BENCHMARK_CAPTURE(energy, l1_conv, kLarge, Evenness::uneven)->Name("energy/l1_conv");
BENCHMARK_CAPTURE(energy, l1_conv_even, kLarge, Evenness::even)->Name("energy/l1_conv_even");
BENCHMARK_CAPTURE(energy, l4_conv, kSmall, Evenness::uneven)->Name("energy/l4_conv");
BENCHMARK_CAPTURE(energy_and_latency, l1_conv, kLarge)->Name("energy_and_latency/l1_conv");
BENCHMARK_CAPTURE(energy_and_latency, l4_conv, kSmall)->Name("energy_and_latency/l4_conv");
BENCHMARK_CAPTURE(salsa, l1_conv, kLarge)->Name("salsa_1000/l1_conv");
BENCHMARK_CAPTURE(salsa, l4_conv, kSmall)->Name("salsa_1000/l4_conv");
BENCHMARK_CAPTURE(all, l4_conv, kSmall)->Name("all_orders/l4_conv")->Unit(benchmark::kSecond)->Iterations(1);

}  // namespace
