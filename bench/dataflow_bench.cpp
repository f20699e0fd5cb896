// How long one evaluation of a data-centric dataflow takes: the lean plan, the whole analysis, the public tool's
// counts.
#include <benchmark/benchmark.h>

#include "maestro/account/maestro.hpp"
#include "maestro/analysis/analysis.hpp"
#include "maestro/files/document.hpp"

namespace {

using namespace tilewright;
using dataflow::Axis;

// VGG-16 CONV11 with its padding, on 256 units.
dataflow::Layer conv11() {
    dataflow::Layer layer;
    layer.name = "CONV11";
    for (const auto& [axis, extent] : {std::pair{Axis::K, 512}, std::pair{Axis::C, 512}, std::pair{Axis::R, 3},
                                       std::pair{Axis::S, 3}, std::pair{Axis::Y, 16}, std::pair{Axis::X, 16}})
        layer.extents[axis] = extent;
    return layer;
}

dataflow::Hardware machine() {
    dataflow::Hardware hardware;
    hardware.units = 256;
    hardware.noc_bytes_per_cycle = 64;
    return hardware;
}

const std::vector<const char*> kDataflows{"nlr", "ws", "rs", "nvdla", "kcp_ws", "yxp_os"};

struct Ready {
    dataflow::CompleteLayer problem;
    std::vector<dataflow::Level> levels;
};

Ready ready(const char* name) {
    Ready made;
    made.problem = problem_of(conv11());
    made.levels =
        levels_of(maestro::named_dataflow(name), {{"P_cluster_size", 64}}, request_for(made.problem, 256)).levels;
    return made;
}

void lean(benchmark::State& state) {
    const char* name = kDataflows[state.range(0)];
    const Ready made = ready(name);
    dataflow::Plan plan(made.problem, made.levels);
    const dataflow::Hardware hardware = machine();
    for (auto _ : state) benchmark::DoNotOptimize(plan.evaluate(hardware));
    state.SetLabel(name);
}
BENCHMARK(lean)->DenseRange(0, 5);

void analysis(benchmark::State& state) {
    const char* name = kDataflows[state.range(0)];
    const Ready made = ready(name);
    const dataflow::Hardware hardware = machine();
    for (auto _ : state) benchmark::DoNotOptimize(analyze(made.problem, made.levels, hardware));
    state.SetLabel(name);
}
BENCHMARK(analysis)->DenseRange(0, 5);

void public_tools_counts(benchmark::State& state) {
    const char* name = kDataflows[state.range(0)];
    dataflow::Layer layer = conv11();
    layer.dataflow = maestro::named_dataflow(name);
    maestro::ToolHardware hardware;
    hardware.units = 256;
    hardware.noc_bandwidth = 64;
    for (auto _ : state) benchmark::DoNotOptimize(maestro::count({layer}, hardware));
    state.SetLabel(name);
}
BENCHMARK(public_tools_counts)->Arg(0)->Arg(1)->Arg(4)->Arg(5);

}  // namespace
