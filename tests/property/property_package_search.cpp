// Energy of plans on packages by dynamic programming against branch and bound over all stages.
//
// Both search the same space; a weight of cycles that is next to nothing makes the search go stage by stage, each
// prefix evaluated as a whole, with floors of its own.
#include <cmath>
#include <cstdio>

#include "harness.hpp"
#include "multicore/search/floored_leaves.hpp"
#include "multicore/search/weighted_search.hpp"
#include "package/plan_text.hpp"
#include "random_package.hpp"

namespace tilewright::property {
namespace {

struct Seen {
    std::uint64_t compared = 0;
    std::uint64_t fused = 0;
    std::uint64_t pipelines = 0;  // runs of several einsums with disjoint teams
    std::uint64_t residuals = 0;  // problems in which a tensor has several readers
    std::uint64_t sums = 0;
    std::uint64_t streams = 0;
};

multicore::Answer best_of(const multicore::Problem& problem, const multicore::Weights& weights) {
    const package::Network network(problem.package());
    multicore::LaneLeaves leaves(problem);
    multicore::FlooredLeaves floored(leaves);
    const multicore::Evaluator exact(problem, network, leaves);
    const multicore::Evaluator floors(problem, network, floored);
    const multicore::Evaluators evaluators{exact, floors};
    multicore::KnownShapes shapes(exact);
    return multicore::WeightedSearch(evaluators, shapes, weights, nullptr, 64).search({}, {});
}

void note(const multicore::Problem& problem, const package::Plan& plan, Seen& seen) {
    bool fused = false;
    bool pipeline = false;
    bool sums = false;
    bool streams = false;
    for (const package::Run& run : plan.runs) {
        fused = fused || run.stages.size() > 1;
        pipeline = pipeline || (run.stages.size() > 1 && run.stages[0].team.front() != run.stages[1].team.front());
        for (std::size_t s = 0; s < run.stages.size(); ++s) {
            streams = streams || run.stages[s].streamed != 0;
            for (const package::Split& split : run.stages[s].split)
                sums = sums || problem.worker(run.first + static_cast<int>(s)).axis_of[split.dimension] < 0;
        }
    }
    bool residual = false;
    for (std::size_t t = 0; t < problem.cascade().tensors.size(); ++t)
        residual = residual || problem.readers(static_cast<int>(t)).size() > 1;
    ++seen.compared;
    seen.fused += fused ? 1 : 0;
    seen.pipelines += pipeline ? 1 : 0;
    seen.residuals += residual ? 1 : 0;
    seen.sums += sums ? 1 : 0;
    seen.streams += streams ? 1 : 0;
}

int check(const Cases& cases, std::uint64_t number, Seen& seen) {
    Random random(Random::split(cases.seed, number));
    PackageProblem drawn = random_package_problem(random);
    for (package::CoreKind& kind : drawn.package.kinds) kind.leak_pj_per_cycle = 0.0;
    if (!multicore::problem_with(drawn.cascade, drawn.package).empty()) return 0;
    const multicore::Problem problem(drawn.cascade, drawn.package);
    const multicore::Answer by_stages = best_of(problem, {1.0, 0.0});
    const multicore::Answer by_prefixes = best_of(problem, {1.0, 1e-30});
    std::string wrong;
    if (by_stages.best.has_value() != by_prefixes.best.has_value()) {
        wrong = "one found a plan, the other none\n";
    } else if (by_stages.best) {
        const double one = by_stages.best->cost.energy.total();
        const double other = by_prefixes.best->cost.energy.total();
        if (!by_stages.proven || !by_prefixes.proven) wrong += "not proven\n";
        if (std::abs(one - other) > 1e-9 * other)
            wrong += std::to_string(one) + " pJ by stages, " + std::to_string(other) + " by prefixes\n";
        note(problem, by_stages.best->plan, seen);
        if (!wrong.empty())
            wrong += package::to_text(by_stages.best->plan, drawn.cascade) + "---\n" +
                     package::to_text(by_prefixes.best->plan, drawn.cascade);
    }
    if (wrong.empty()) return 0;
    std::printf("--- problem %llu of seed %llu\n%s%s", static_cast<unsigned long long>(number),
                static_cast<unsigned long long>(cases.seed), drawn.text.c_str(), wrong.c_str());
    return 1;
}

}  // namespace
}  // namespace tilewright::property

int main(int argc, char** argv) {
    using namespace tilewright::property;
    Seen seen;
    Harness harness("property_package_search", "Least energy on packages, by stages and by prefixes",
                    {.kind = "problems", .count = 60});
    harness.least("compared", "optima of both", &seen.compared);
    harness.least("fused", "optima with runs of several einsums", &seen.fused);
    harness.least("pipelines", "optima with pipelines", &seen.pipelines);
    harness.least("residuals", "problems with a tensor of several readers", &seen.residuals);
    harness.least("sums", "optima with split sums", &seen.sums);
    harness.least("streams", "optima with streamed operands", &seen.streams);
    if (const auto status = harness.parse(argc, argv)) return *status;
    return harness.run(
        [&](std::uint64_t number) { return check(harness.cases(), number, seen); },
        [&] {
            std::printf(
                "%llu optima compared; %llu fused, %llu with pipelines, %llu of problems with a tensor "
                "of several readers, %llu with split sums, %llu with streams\n",
                static_cast<unsigned long long>(seen.compared), static_cast<unsigned long long>(seen.fused),
                static_cast<unsigned long long>(seen.pipelines), static_cast<unsigned long long>(seen.residuals),
                static_cast<unsigned long long>(seen.sums), static_cast<unsigned long long>(seen.streams));
        });
}
