// The checker of certificates against every mapping there is, on many small random problems:
//
//     property_certificate --problems 100000 --seed 7 [--first 2500] [--operations 200] [--points 100000] [--uneven]
//                          [--factors ruby-s] [--free] [--wires] [--families]
//
// --families: goes through families, however few assignments there are.
// The best of all mappings must be confirmed wherever the optimal mapper calls it proven; the second best, and any
// worse one, claimed to be the best, must not; nor a claim that the best takes a millionth of its energy more. Problems
// of more mappings than --points are skipped. The first problem on which the checker is wrong is printed; the exit
// status is then 1.
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "base/numbers/random.hpp"
#include "certificate/prove/prove.hpp"
#include "harness.hpp"
#include "mapper/optimal/optimal.hpp"
#include "mapping/validity.hpp"
#include "model/exact/model.hpp"
#include "random_problem.hpp"
#include "uneven_mappings.hpp"

namespace {

using namespace tilewright;
using property::Problem;

struct Options {
    std::int64_t points = 100'000;
    bool uneven = false;
    bool free = false;
    bool wires = false;
    bool passages = false;
    bool rooms = false;
    bool families = false;
    std::string factors = "perfect";

    certificate::Storage storage() const { return uneven ? certificate::Storage::uneven : certificate::Storage::even; }
};

struct Tally {
    std::uint64_t confirmed = 0;
    std::uint64_t unconfirmed = 0;  ///< and not proven by the search either
    std::uint64_t bounded = 0;      ///< of these, by what the search has for a bound
    std::uint64_t unbounded = 0;
    std::uint64_t refuted = 0;      ///< worse mappings claimed to be the best
    std::uint64_t passed_over = 0;  ///< too large, or without a mapping
    int failures = 0;
};

struct Rated {
    Score score;
    certificate::Cost cost;
};

/// The best mapping and the best of those that are worse; empty when there is no such one.
struct Best {
    std::optional<Rated> first;
    std::optional<Rated> second;
};

/// Differences that the checker has to see. Between these and none at all is rounding.
bool is_worse(const Objective& objective, const Score& a, const Score& b) {
    constexpr double kClearly = 1.0 + 1e-7;
    if (a.value > b.value * kClearly) return true;
    return objective.kind == ObjectiveKind::latency && a.value == b.value && a.tie > b.tie * kClearly;
}

Rated rate(const Problem& problem, double energy_pj, std::int64_t cycles) {
    return {problem.objective.score(energy_pj, cycles), {energy_pj, static_cast<double>(cycles)}};
}

/// What every mapping costs; nothing when there are too many.
std::optional<std::vector<Rated>> rate_all(const Problem& problem, const Mapspace& mapspace,
                                           const LeanEvaluator& evaluator, std::int64_t most) {
    std::vector<Rated> all;
    std::int64_t seen = 0;
    const bool complete = mapspace.enumerate([&](const TilingPoint& point) {
        if (++seen > most) return false;
        const LeanCost cost = evaluator.evaluate(point);
        if (cost.valid()) all.push_back(rate(problem, cost.energy_pj, cost.cycles));
        return true;
    });
    return complete ? std::optional(all) : std::nullopt;
}

std::optional<std::vector<Rated>> rate_all_uneven(const Problem& problem, std::int64_t most) {
    std::vector<Rated> all;
    const bool complete = property::enumerate_uneven(problem, most, [&](const Mapping& mapping) {
        if (!check(problem.einsum, problem.architecture, mapping).empty()) return true;
        const Evaluation evaluation = evaluate(problem.einsum, problem.architecture, mapping);
        all.push_back(rate(problem, evaluation.energy_pj, evaluation.cycles));
        return true;
    });
    return complete ? std::optional(all) : std::nullopt;
}

Best best_of(const Problem& problem, const std::vector<Rated>& all) {
    Best best;
    for (const Rated& one : all)
        if (!best.first || one.score < best.first->score) best.first = one;
    for (const Rated& one : all)
        if (is_worse(problem.objective, one.score, best.first->score) &&
            (!best.second || one.score < best.second->score))
            best.second = one;
    return best;
}

certificate::Proof prove(const Options& options, const Problem& problem, const Mapspace& mapspace,
                         const certificate::Goal& goal) {
    return certificate::prove(problem.einsum, problem.architecture, mapspace, goal, options.storage(), {},
                              options.families ? 0 : certificate::kMostAssignments);
}

void fail(const Problem& problem, std::uint64_t number, const char* what, const Rated& rated,
          const certificate::Proof& proof, Tally& tally) {
    ++tally.failures;
    std::printf("problem %llu: %s\n%s", static_cast<unsigned long long>(number), what, to_text(problem).c_str());
    std::printf("claimed: %.17g pJ, %.17g cycles\n", rated.cost.energy_pj, rated.cost.cycles);
    for (const certificate::Doubt& doubt : proof.doubts)
        std::printf("  assignment %lld (%s): %.17g pJ, %.17g cycles\n", static_cast<long long>(doubt.assignment),
                    doubt.what.c_str(), doubt.bound.energy_pj, doubt.bound.cycles);
}

certificate::Goal optimal(const Problem& problem, const Rated& best) {
    return certificate::Goal::optimal(problem.objective, best.cost);
}

/// What the search itself only bounds, or the checker: results whose tiles overlap.
void check_bound(const Options& options, const Problem& problem, std::uint64_t number, const Mapspace& mapspace,
                 const LeanEvaluator& evaluator, const Rated& best, const certificate::Proof& proof, Tally& tally) {
    const SearchResult found =
        OptimalMapper({.warm_up = 0, .uneven = options.uneven}).search(mapspace, evaluator, problem.objective, {}, {});
    if (found.stopped == StopReason::proven && !proof.overlapping_results)
        return fail(problem, number, "the best mapping is proven, but not confirmed", best, proof, tally);
    if (problem.objective.kind == ObjectiveKind::pareto || !found.lower_bound) return;
    certificate::Goal goal;
    goal.objective = problem.objective;
    goal.value = *found.lower_bound;
    const certificate::Proof bounded = prove(options, problem, mapspace, goal);
    ++(bounded.doubts.empty() ? tally.bounded : tally.unbounded);
}

Problem problem_of(const property::Cases& cases, const Options& options, std::uint64_t number) {
    Problem problem = property::random_problem(Random::split(cases.seed, number), cases.operations);
    if (options.free) property::make_free(Random::split(cases.seed + 2, number), problem);
    if (options.wires) property::make_wires_cost(Random::split(cases.seed + 1, number), problem.architecture);
    if (options.rooms) property::add_rooms(Random::split(cases.seed + 5, number), problem.einsum, problem.architecture);
    if (options.passages) {
        property::add_passages(Random::split(cases.seed + 3, number), problem.einsum, problem.architecture);
        property::add_stalls(Random::split(cases.seed + 4, number), problem.architecture);
    }
    return problem;
}

void check(const Options& options, std::uint64_t number, const Problem& problem, Tally& tally) {
    const Mapspace mapspace(problem.einsum, problem.architecture, problem.constraints,
                            factor_rule_named(options.factors).value());
    const LeanEvaluator evaluator(problem.einsum, problem.architecture);
    const auto all = options.uneven ? rate_all_uneven(problem, options.points)
                                    : rate_all(problem, mapspace, evaluator, options.points);
    if (!all || all->empty()) {
        ++tally.passed_over;
        return;
    }
    const Best best = best_of(problem, *all);
    const certificate::Proof proof = prove(options, problem, mapspace, optimal(problem, *best.first));
    if (proof.doubts.empty()) {
        ++tally.confirmed;
    } else {
        ++tally.unconfirmed;
        check_bound(options, problem, number, mapspace, evaluator, *best.first, proof, tally);
    }
    Rated dearer = *best.first;
    dearer.cost.energy_pj *= 1.0 + 1e-6;
    const certificate::Proof above = prove(options, problem, mapspace, optimal(problem, dearer));
    if (above.doubts.empty())
        return fail(problem, number, "a bound above the best mapping is confirmed", dearer, above, tally);
    if (!best.second) return;
    const certificate::Proof wrong = prove(options, problem, mapspace, optimal(problem, *best.second));
    if (wrong.doubts.empty())
        fail(problem, number, "the second best mapping is confirmed as the best", *best.second, wrong, tally);
    else
        ++tally.refuted;
}

void print(const Tally& tally) {
    std::printf(
        "%llu best mappings confirmed, %llu neither confirmed nor proven (the bound of %llu confirmed, of %llu not), "
        "%llu second best ones refuted, %llu problems passed over\n",
        static_cast<unsigned long long>(tally.confirmed), static_cast<unsigned long long>(tally.unconfirmed),
        static_cast<unsigned long long>(tally.bounded), static_cast<unsigned long long>(tally.unbounded),
        static_cast<unsigned long long>(tally.refuted), static_cast<unsigned long long>(tally.passed_over));
}

}  // namespace

int main(int argc, char** argv) {
    Options options;
    Tally tally;
    property::Harness harness("property_certificate",
                              "Holds the checker of certificates against every mapping of small problems", {});
    harness.line.option("--points", &options.points, "most mappings of a problem");
    harness.line.option("--uneven", &options.uneven, "uneven mappings too");
    harness.line.option("--rooms", &options.rooms, "memories align tiles, buffer them by tensor, reserve words");
    harness.line.option("--passages", &options.passages, "words pay passages, and writes of a memory stop the units");
    harness.line.option("--free", &options.free, "machines without constraints");
    harness.line.option("--wires", &options.wires, "wires that cost energy");
    harness.line.option("--families", &options.families,
                        "all at once that differ in fan-outs without memories between them");
    harness.line.option("--factors", &options.factors, "", {.choices = {"perfect", "ruby-s"}});
    harness.least("confirmed", "best mappings that were confirmed", &tally.confirmed);
    harness.least("refuted", "second best ones that were refuted", &tally.refuted);
    if (const std::optional<int> status = harness.parse(argc, argv)) return *status;
    return harness.run(
        [&](std::uint64_t number) {
            const int before = tally.failures;
            check(options, number, problem_of(harness.cases(), options, number), tally);
            return tally.failures - before;
        },
        [&] { print(tally); });
}
