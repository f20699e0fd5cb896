// The full evaluation (not the lean one of the searches) of a ResNet-50 layer on a row-stationary array.
#include <benchmark/benchmark.h>

#include "model/exact/model.hpp"
#include "workload/shapes.hpp"

namespace {

using namespace tilewright;

Memory memory(std::string name, Mesh mesh) {
    Memory m;
    m.name = std::move(name);
    m.mesh = mesh;
    m.instances = mesh.size();
    return m;
}

Architecture row_stationary() {
    Architecture a;
    a.memories = {memory("DRAM", {1, 1}), memory("buffer", {1, 1}), memory("columns", {14, 1}),
                  memory("spad", {14, 12})};
    a.compute.mesh = {14, 12};
    a.compute.instances = 14 * 12;
    return a;
}

// 3x3, 64 -> 64 channels, 56 x 56: outputs rows over columns of the array, filter rows and channels over its rows.
Mapping layer_mapping(const Einsum& e, std::int64_t rows) {
    const auto d = [&](const char* name) { return find_dimension(e, name); };
    const TensorSet all = TensorSet::all(3);
    const auto loop = [](int dimension, std::int64_t extent, LoopKind kind = LoopKind::temporal) {
        return Loop{dimension, extent, extent, kind};
    };
    Mapping mapping = mapping_of({
        {all, {loop(d("K"), 4), loop(d("C"), 16), loop(d("P"), 8)}, {}},
        {all, {loop(d("P"), 7), loop(d("Q"), (56 + rows - 1) / rows)}, {loop(d("Q"), rows, LoopKind::spatial_x)}},
        {TensorSet{}, {}, {loop(d("C"), 4, LoopKind::spatial_y), loop(d("S"), 3, LoopKind::spatial_y)}},
        {all, {loop(d("K"), 16), loop(d("R"), 3)}, {}},
    });
    restore_remainders(mapping, e);
    return mapping;
}

void evaluate_layer(benchmark::State& state) {
    const Einsum einsum = conv2d(64, 64, 56, 3);
    const Architecture machine = row_stationary();
    const Mapping mapping = layer_mapping(einsum, state.range(0));
    for (auto _ : state) benchmark::DoNotOptimize(evaluate(einsum, machine, mapping));
}
BENCHMARK(evaluate_layer)->Name("evaluate/perfect")->Arg(14)->Unit(benchmark::kMicrosecond);
BENCHMARK(evaluate_layer)->Name("evaluate/remainders")->Arg(13)->Unit(benchmark::kMicrosecond);

}  // namespace
