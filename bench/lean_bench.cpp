// The lean evaluation, and drawing mappings, for ResNet-50 layers on the machines of the studies. One item is one
// mapping.
#include <benchmark/benchmark.h>

#include <vector>

#include "mapspace/mapspace.hpp"
#include "model/lean/lean.hpp"
#include "workload/shapes.hpp"

namespace {

using namespace tilewright;

Memory memory(std::string name, Mesh mesh, std::int64_t words, std::int64_t block, double energy_pj) {
    Memory m;
    m.name = std::move(name);
    m.mesh = mesh;
    m.instances = mesh.size();
    if (words > 0) m.capacity_words = words;
    m.block_words = block;
    m.energy.read_pj.value = m.energy.fill_pj.value = m.energy.update_pj.value = energy_pj;
    return m;
}

// Simba as CoSA has it: 16 processing elements of 64 multipliers, six memories.
Architecture simba() {
    Architecture a;
    a.memories = {memory("DRAM", {1, 1}, 0, 64, 6400.0),
                  memory("GlobalBuffer", {1, 1}, 65536, 8, 4.7),
                  memory("InputBuffer", {16, 1}, 4096, 8, 1.6),
                  memory("WeightBuffer", {128, 1}, 16384, 8, 5.1),
                  memory("AccumulationBuffer", {128, 1}, 64, 1, 0.9),
                  memory("Registers", {1024, 1}, 1, 1, 0.01)};
    a.memories[0].read_words_per_cycle = a.memories[0].write_words_per_cycle = 10.0;
    a.memories[0].reduces = false;
    a.memories[4].cluster_size = 8;
    a.memories[5].cluster_size = 64;
    a.compute.mesh = {1024, 1};
    a.compute.instances = 1024;
    a.compute.energy_pj.value = 0.25;
    return a;
}

// Which tensors (weights, inputs, outputs) each memory of Simba keeps.
Constraints simba_constraints() {
    const auto only = [](std::initializer_list<int> tensors) {
        LevelConstraint level;
        for (const int t : tensors) level.must_keep.add(t);
        level.must_bypass = TensorSet::from_bits(TensorSet::all(3).bits() & ~level.must_keep.bits());
        return level;
    };
    Constraints constraints;
    constraints.levels = {only({0, 1, 2}), only({1, 2}), only({1}), only({0}), only({2}), only({0})};
    return constraints;
}

Architecture row_stationary() {
    Architecture a;
    a.memories = {memory("DRAM", {1, 1}, 0, 4, 512.0), memory("buffer", {1, 1}, 65536, 4, 17.0),
                  memory("columns", {14, 1}, 0, 1, 0.0), memory("spad", {14, 12}, 512, 1, 1.0)};
    for (const int i : {1, 3}) {
        a.memories[i].read_words_per_cycle = i == 1 ? 16.0 : 4.0;
        a.memories[i].write_words_per_cycle = a.memories[i].read_words_per_cycle;
    }
    a.memories[2].spreads_only = true;
    a.compute.mesh = {14, 12};
    a.compute.instances = 14 * 12;
    a.compute.energy_pj.value = 2.0;
    return a;
}

Architecture with_wires(Architecture machine) {
    for (Memory& m : machine.memories) m.link.energy_per_hop_pj = 0.5;
    return machine;
}

std::vector<TilingPoint> valid_points(const Mapspace& space, const LeanEvaluator& evaluator, int count) {
    Random random(1);
    std::vector<TilingPoint> points;
    TilingPoint point = space.point();
    while (static_cast<int>(points.size()) < count)
        if (space.sample(random, point) && !evaluator.violation(point)) points.push_back(point);
    return points;
}

void evaluate_points(benchmark::State& state, const Architecture& machine, const Constraints& constraints) {
    const Einsum layer = conv2d(128, 128, 28, 3);
    const LeanEvaluator evaluator(layer, machine);
    const std::vector<TilingPoint> points = valid_points(Mapspace(layer, machine, constraints), evaluator, 512);
    LeanScratch scratch;
    std::size_t i = 0;
    for (auto _ : state) {
        const LeanCost cost = evaluator.evaluate(points[i++ % points.size()], scratch);
        benchmark::DoNotOptimize(cost);
    }
    state.SetItemsProcessed(state.iterations());
}

void draw_points(benchmark::State& state, const Architecture& machine, const Constraints& constraints) {
    const Mapspace space(conv2d(128, 128, 28, 3), machine, constraints);
    Random random(1);
    TilingPoint point = space.point();
    for (auto _ : state) benchmark::DoNotOptimize(space.sample(random, point));
    state.SetItemsProcessed(state.iterations());
}

BENCHMARK_CAPTURE(evaluate_points, simba, simba(), simba_constraints())->Name("lean/simba");
BENCHMARK_CAPTURE(evaluate_points, simba_free, simba(), Constraints{})->Name("lean/simba_any_bypass");
BENCHMARK_CAPTURE(evaluate_points, eyeriss, row_stationary(), Constraints{})->Name("lean/row_stationary");
BENCHMARK_CAPTURE(evaluate_points, wires, with_wires(row_stationary()), Constraints{})
    ->Name("lean/row_stationary_wires");
BENCHMARK_CAPTURE(draw_points, simba, simba(), simba_constraints())->Name("draw/simba");

}  // namespace
