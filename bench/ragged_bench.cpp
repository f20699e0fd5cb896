// The lean evaluation of mappings with remainders: layers of ResNet-50 on machines of the zoo, factors drawn as Ruby
// does. Counters: microseconds per mapping.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <set>
#include <string>
#include <vector>

#include "arch/estimate.hpp"
#include "base/random.hpp"
#include "frontend/timeloop/architecture.hpp"
#include "frontend/timeloop/zoo.hpp"
#include "mapspace/mapspace.hpp"
#include "model/lean.hpp"
#include "workload/zoo.hpp"

namespace {

using namespace tilewright;

enum class Rule { ruby, ruby_s, ruby_t };

/// Draws factors from the inside out: a loop with remainders takes any number of the chunks that are left, another one
/// a divisor of them; the outermost memory runs the rest.
class Sampler {
   public:
    Sampler(const Einsum& einsum, const Architecture& machine, const Constraints& constraints, Rule rule)
        : einsum_(einsum),
          machine_(machine),
          constraints_(constraints),
          rule_(rule),
          space_(einsum, machine, constraints) {}

    bool sample(Random& random, PerfectPoint& point) {
        if (!space_.sample(random, point)) return false;
        for (int d = 0; d < einsum_.dimension_count(); ++d) sample_factors(random, d, point);
        return true;
    }

    PerfectPoint point() const { return space_.point(); }

   private:
    void sample_factors(Random& random, int d, PerfectPoint& point) {
        std::int64_t chunks = einsum_.dimensions[d].extent;
        for (int l = machine_.memory_count() - 1; l >= 0; --l) {
            const Mesh room = machine_.fanout(l);
            const std::int64_t neighbours = point[l].runs_on_y(d) ? room.y : room.x;
            const LevelConstraint& level = constraints_.levels[l];
            const std::int64_t spatial =
                draw(random, std::min(chunks, neighbours), chunks, rule_ != Rule::ruby_t, level.spatial, d);
            point[l].spatial[d] = static_cast<std::int32_t>(spatial);
            chunks = (chunks + spatial - 1) / spatial;
            const std::int64_t temporal =
                l == 0 ? chunks : draw(random, chunks, chunks, rule_ != Rule::ruby_s, level.temporal, d);
            point[l].temporal[d] = static_cast<std::int32_t>(temporal);
            chunks = (chunks + temporal - 1) / temporal;
        }
    }

    static std::int64_t draw(Random& random, std::int64_t most, std::int64_t chunks, bool remainders,
                             const LoopConstraint& constraint, int d) {
        if (!constraint.factors.empty()) {
            const FactorConstraint& factor = constraint.factors[d];
            if (factor.exactly) return std::min(*factor.exactly, chunks);
            if (factor.at_most) most = std::min(most, *factor.at_most);
        }
        if (remainders) return random.between(1, random.between(1, most));
        std::vector<std::int64_t> divisors;
        for (std::int64_t i = 1; i <= most; ++i)
            if (chunks % i == 0) divisors.push_back(i);
        return divisors[random.below(divisors.size())];
    }

    const Einsum& einsum_;
    const Architecture& machine_;
    const Constraints& constraints_;
    const Rule rule_;
    Mapspace space_;
};

bool has_remainders(const PerfectPoint& point, const Einsum& einsum) { return !is_perfect(*mapping_of(point, einsum)); }

double microseconds(const LeanEvaluator& evaluator, const PerfectPoint& point) {
    using Clock = std::chrono::steady_clock;
    double best = 1e9;
    for (int round = 0; round < 5; ++round) {
        const auto start = Clock::now();
        for (int i = 0; i < 4; ++i) benchmark::DoNotOptimize(evaluator.evaluate(point));
        best = std::min(best, std::chrono::duration<double, std::micro>(Clock::now() - start).count() / 4.0);
    }
    return best;
}

void evaluate_points(benchmark::State& state, const char* machine_name, Rule rule) {
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
        Sampler sampler(layer.einsum, machine, constraints, rule);
        PerfectPoint point = sampler.point();
        for (int i = 0, valid = 0; i < 50000 && valid < 20; ++i) {
            if (!sampler.sample(random, point) || evaluator.violation(point)) continue;
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

BENCHMARK_CAPTURE(evaluate_points, eyeriss_ruby_s, "eyeriss", Rule::ruby_s)
    ->Name("ragged/eyeriss/ruby-s")
    ->Iterations(1);
BENCHMARK_CAPTURE(evaluate_points, eyeriss_ruby_t, "eyeriss", Rule::ruby_t)
    ->Name("ragged/eyeriss/ruby-t")
    ->Iterations(1);
BENCHMARK_CAPTURE(evaluate_points, eyeriss_ruby, "eyeriss", Rule::ruby)->Name("ragged/eyeriss/ruby")->Iterations(1);
BENCHMARK_CAPTURE(evaluate_points, simba_ruby_s, "simba15", Rule::ruby_s)->Name("ragged/simba15/ruby-s")->Iterations(1);
BENCHMARK_CAPTURE(evaluate_points, simba_ruby_t, "simba15", Rule::ruby_t)->Name("ragged/simba15/ruby-t")->Iterations(1);
BENCHMARK_CAPTURE(evaluate_points, simba_ruby, "simba15", Rule::ruby)->Name("ragged/simba15/ruby")->Iterations(1);

}  // namespace
