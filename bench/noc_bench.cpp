// Router-cycles per second: meshes under uniform traffic, and an idle one.
#include <benchmark/benchmark.h>

#include "golden/noc_traffic.hpp"

namespace {

using namespace tilewright::sim;

/// range(0): columns and rows; range(1): load in percent of a flit per node and cycle.
void uniform_traffic(benchmark::State& state) {
    const Mesh mesh{static_cast<int>(state.range(0)), static_cast<int>(state.range(0))};
    Traffic traffic;
    traffic.packet_flits = 5;
    traffic.flits_per_node_cycle = static_cast<double>(state.range(1)) / 100.0;
    const Measurement measurement{0, 20000, 0};
    for (auto _ : state) benchmark::DoNotOptimize(run_traffic(mesh, {}, traffic, measurement).latency.total());
    state.counters["router_cycles"] = benchmark::Counter(
        static_cast<double>(state.iterations()) * 20000.0 * mesh.nodes(), benchmark::Counter::kIsRate);
}
BENCHMARK(uniform_traffic)->ArgsProduct({{4, 8}, {2, 10, 30}})->Unit(benchmark::kMillisecond);

}  // namespace
