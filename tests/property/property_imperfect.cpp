// What the optimal mapper knows of nests with spatial remainders against the evaluator, on random problems:
//
//     property_imperfect --problems 100000 --seed 7 [--points 20] [--wires]
//
// Energy and cycles of every drawn mapping have to be in the ranges that its label gives, and no less than what any
// label on the way there was held to cost at least. Prints how many ranges are
// single numbers; exit status 1 when one is wrong.
#include <cmath>
#include <cstdio>
#include <optional>

#include "base/numbers/random.hpp"
#include "harness.hpp"
#include "mapper/optimal/imperfect/search.hpp"
#include "mapping/text.hpp"
#include "model/lean/lean.hpp"
#include "random_problem.hpp"

namespace {

using namespace tilewright;
using property::Problem;

struct Options {
    int points = 20;
    bool wires = false;
};

struct Tally {
    std::uint64_t right = 0;
    std::uint64_t exact = 0;
    std::uint64_t unknown = 0;
    int wrong = 0;
};

TilingPoint without_loops(const Mapspace& mapspace, const TilingPoint& point) {
    TilingPoint assignment = mapspace.first_point();
    for (int l = 0; l < point.level_count(); ++l) {
        assignment[l].spatial = point[l].spatial;
        assignment[l].along_x = point[l].along_x;
        assignment[l].along_y = point[l].along_y;
        assignment[l].spatial_order = point[l].spatial_order;
        assignment[l].keep = point[l].keep;
    }
    return assignment;
}

// Which fan-outs of a mapping divide.
optimal::Remainders remainders_of(const lean::Setup& setup, const TilingPoint& point) {
    optimal::Remainders remainders;
    for (int d = 0; d < point.dimension_count(); ++d) {
        auto chunks = static_cast<std::int64_t>(setup.extents[d]);
        for (int l = point.level_count() - 1; l >= 0; --l) {
            const std::int64_t spread = point[l].spatial[d];
            remainders.decided[l] |= 1U << d;
            if (chunks % spread != 0) remainders.left[l] |= 1U << d;
            chunks = ceil_div(ceil_div(chunks, spread), std::int64_t{point[l].temporal[d]});
        }
    }
    return remainders;
}

void check(const Problem& problem, const Mapspace& mapspace, const TilingPoint& point, const LeanCost& cost,
           const lean::Setup& setup, optimal::LayoutChoice layouts, const optimal::Remainders& remainders,
           Tally& tally) {
    const optimal::ImperfectCharges charges(mapspace, setup, without_loops(mapspace, point), layouts, remainders);
    optimal::ImperfectCompletionBound completion_bound(mapspace, setup);
    completion_bound.look_at(charges);
    const double all_pj = completion_bound.all_pj();
    completion_bound.look_at(charges, true);  // on the way
    optimal::ImperfectLabels labels(mapspace, charges, completion_bound, {.timed = true});
    const auto price = labels.price(point);
    if (!price) {
        ++tally.unknown;
        return;
    }
    const auto cycles = static_cast<double>(cost.cycles - setup.link_latency_cycles);
    const double leak = charges.least_leak_pj_per_cycle() * static_cast<double>(cost.cycles);
    const double energy = cost.energy_pj - leak;
    const double slack = 1e-9 * cost.energy_pj + 1e-9;
    const bool most = layouts == optimal::LayoutChoice::any || !charges.exact() ||
                      charges.least_leak_pj_per_cycle() > 0.0 ||
                      (energy <= price->energy_pj.hi + slack && cycles <= std::ceil(price->cycles.hi) + 1.0);
    const double least_cycles = std::max(price->cycles.lo, price->at_least.cycles);
    if (std::max({all_pj, price->energy_pj.lo, price->at_least.energy_pj}) <= energy + slack &&
        std::ceil(least_cycles * (1.0 - 1e-12)) <= cycles && most) {
        ++tally.right;
        tally.exact += price->energy_pj.hi - price->energy_pj.lo <= slack ? 1 : 0;
        return;
    }
    ++tally.wrong;
    std::printf(
        "%senergy %.12g (on the way at least %.12g) in [%.12g, %.12g], cycles %.12g (at least %.12g) in [%.12g, "
        "%.12g]\n%s\n",
        to_text(problem).c_str(), energy, price->at_least.energy_pj, price->energy_pj.lo, price->energy_pj.hi, cycles,
        price->at_least.cycles, price->cycles.lo, price->cycles.hi,
        loop_nest_text(problem.einsum, problem.architecture, mapping_of(point, problem.einsum).value()).c_str());
}

void check(const property::Cases& cases, const Options& options, std::uint64_t number, Tally& tally) {
    Problem problem = property::random_problem(Random::split(cases.seed, number), cases.operations);
    if (options.wires) property::make_wires_cost(Random::split(cases.seed + 1, number), problem.architecture);
    const Mapspace mapspace(problem.einsum, problem.architecture, problem.constraints, FactorRule::ruby_s);
    if (!mapspace.problem().empty() || !mapspace.has_remainders()) return;
    const LeanEvaluator evaluator(problem.einsum, problem.architecture);
    const lean::Setup setup(problem.einsum, problem.architecture);
    Random random(Random::split(cases.seed + 1, number));
    TilingPoint point = mapspace.point();
    for (int i = 0; i < options.points && tally.wrong < cases.most_failures; ++i) {
        if (!mapspace.sample(random, point)) continue;
        const LeanCost cost = evaluator.evaluate(point);
        if (!cost.valid()) continue;
        for (const auto layouts : {optimal::LayoutChoice::given, optimal::LayoutChoice::any}) {
            check(problem, mapspace, point, cost, setup, layouts, {}, tally);
            check(problem, mapspace, point, cost, setup, layouts, remainders_of(setup, point), tally);
        }
        if (tally.wrong == cases.most_failures) std::printf("problem %llu\n", static_cast<unsigned long long>(number));
    }
}

void print(const Tally& tally) {
    std::printf("%llu mappings in their ranges (%llu known exactly), %llu not priced, %d outside\n",
                static_cast<unsigned long long>(tally.right), static_cast<unsigned long long>(tally.exact),
                static_cast<unsigned long long>(tally.unknown), tally.wrong);
}

}  // namespace

int main(int argc, char** argv) {
    Options options;
    Tally tally;
    property::Harness harness("property_imperfect",
                              "Compares what labels of nests with spatial remainders cost with the evaluator",
                              {.operations = 500});
    harness.line.option("--points", &options.points, "mappings of each problem");
    harness.line.option("--wires", &options.wires, "wires cost energy on every machine");
    harness.least("right", "mappings in their ranges", &tally.right);
    harness.least("exact", "of these known exactly", &tally.exact);
    if (const std::optional<int> status = harness.parse(argc, argv)) return *status;
    const auto failures_of = [&](std::uint64_t number) {
        const int before = tally.wrong;
        check(harness.cases(), options, number, tally);
        return tally.wrong - before;
    };
    return harness.run(failures_of, [&] { print(tally); });
}
