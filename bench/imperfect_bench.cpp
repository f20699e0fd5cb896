// The lean evaluation of mappings with remainders: layers of ResNet-50 on machines of the zoo, drawn from the mapspaces
// of the factor rules. Counters: microseconds per mapping.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <set>
#include <string>
#include <vector>

#include "arch/estimation/estimate.hpp"
#include "base/numbers/random.hpp"
#include "mapspace/mapspace.hpp"
#include "model/lean/lean.hpp"
#include "timeloop/files/zoo.hpp"
#include "timeloop/machine/architecture.hpp"
#include "workload/zoo/zoo.hpp"

namespace {

using namespace tilewright;

bool has_remainders(const TilingPoint& point, const Einsum& einsum) { return !is_perfect(*mapping_of(point, einsum)); }

double microseconds(const LeanEvaluator& evaluator, const TilingPoint& point) {
    using Clock = std::chrono::steady_clock;
    double best = 1e9;
    for (int round = 0; round < 5; ++round) {
        const auto start = Clock::now();
        for (int i = 0; i < 4; ++i) benchmark::DoNotOptimize(evaluator.evaluate(point));
        best = std::min(best, std::chrono::duration<double, std::micro>(Clock::now() - start).count() / 4.0);
    }
    return best;
}

void evaluate_points(benchmark::State& state, const char* machine_name, FactorRule rule) {
    const yaml::Node root = timeloop::zoo_architecture(machine_name);
    Architecture machine = timeloop::read_architecture(root);
    estimate(machine);
    std::vector<double> times;
    std::set<std::string> seen;
    Random random(1);
    for (const Layer& layer : zoo_network("resnet50").layers) {
        if (layer.einsum.dimension_count() < 7 || !seen.insert(layer.einsum.name).second) continue;
        const Constraints constraints = timeloop::read_constraints(root, machine, layer.einsum);
        const LeanEvaluator evaluator(layer.einsum, machine);
        const Mapspace mapspace(layer.einsum, machine, constraints, rule);
        TilingPoint point = mapspace.point();
        for (int i = 0, valid = 0; i < 50000 && valid < 20; ++i) {
            if (!mapspace.sample(random, point) || evaluator.violation(point)) continue;
            if (!has_remainders(point, layer.einsum)) continue;
            ++valid;
            times.push_back(microseconds(evaluator, point));
        }
    }
    for (auto _ : state) benchmark::DoNotOptimize(times.data());
    if (times.empty()) return;
    std::sort(times.begin(), times.end());
    double sum = 0.0;
    for (const double time : times) sum += time;
    state.counters["mappings"] = static_cast<double>(times.size());
    state.counters["median_us"] = times[times.size() / 2];
    state.counters["mean_us"] = sum / static_cast<double>(times.size());
    state.counters["p90_us"] = times[times.size() * 9 / 10];
    state.counters["max_us"] = times.back();
}

BENCHMARK_CAPTURE(evaluate_points, eyeriss_ruby_s, "eyeriss", FactorRule::ruby_s)
    ->Name("imperfect/eyeriss/ruby-s")
    ->Iterations(1);
BENCHMARK_CAPTURE(evaluate_points, eyeriss_ruby_t, "eyeriss", FactorRule::ruby_t)
    ->Name("imperfect/eyeriss/ruby-t")
    ->Iterations(1);
BENCHMARK_CAPTURE(evaluate_points, eyeriss_ruby, "eyeriss", FactorRule::ruby)
    ->Name("imperfect/eyeriss/ruby")
    ->Iterations(1);
BENCHMARK_CAPTURE(evaluate_points, simba_ruby_s, "simba15", FactorRule::ruby_s)
    ->Name("imperfect/simba15/ruby-s")
    ->Iterations(1);
BENCHMARK_CAPTURE(evaluate_points, simba_ruby_t, "simba15", FactorRule::ruby_t)
    ->Name("imperfect/simba15/ruby-t")
    ->Iterations(1);
BENCHMARK_CAPTURE(evaluate_points, simba_wires_ruby_s, "simba", FactorRule::ruby_s)
    ->Name("imperfect/simba/ruby-s")
    ->Iterations(1);
BENCHMARK_CAPTURE(evaluate_points, simba_ruby, "simba15", FactorRule::ruby)
    ->Name("imperfect/simba15/ruby")
    ->Iterations(1);

}  // namespace
