// The checker of certificates against every mapping there is, on many small random problems:
//
//     property_certificate --problems 100000 --seed 7 [--first 2500] [--operations 200] [--points 100000]
//
// The best of all mappings must be confirmed wherever the optimal mapper calls it proven; the second best, and any
// worse one, claimed to be the best, must not. Problems of more mappings than --points are skipped. The first problem
// on which the checker is wrong is printed; the exit status is then 1.
#include <CLI/CLI.hpp>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <optional>
#include <vector>

#include "base/random.hpp"
#include "certificate/prove.hpp"
#include "mapper/optimal.hpp"
#include "random_problem.hpp"

namespace {

using namespace tilewright;
using property::Problem;

struct Options {
    std::uint64_t problems = 2000;
    std::uint64_t seed = 1;
    std::uint64_t first = 0;
    std::int64_t operations = 200;
    std::int64_t points = 100'000;
};

struct Tally {
    std::uint64_t confirmed = 0;
    std::uint64_t unconfirmed = 0;  ///< and not proven by the search either
    std::uint64_t refuted = 0;      ///< worse mappings claimed to be the best
    std::uint64_t passed_over = 0;  ///< too large, or without a mapping
    int failures = 0;
};

struct Rated {
    Score score;
    LeanCost cost;
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

/// Tries every mapping; nothing when there are too many.
std::optional<Best> best_of_all(const Problem& problem, const Mapspace& mapspace, const LeanEvaluator& evaluator,
                                std::int64_t most) {
    std::vector<Rated> all;
    std::int64_t seen = 0;
    const bool complete = mapspace.enumerate([&](const PerfectPoint& point) {
        if (++seen > most) return false;
        const LeanCost cost = evaluator.evaluate(point);
        if (cost.valid()) all.push_back({problem.objective.score(cost.energy_pj, cost.cycles), cost});
        return true;
    });
    if (!complete) return std::nullopt;
    Best best;
    for (const Rated& one : all)
        if (!best.first || one.score < best.first->score) best.first = one;
    for (const Rated& one : all)
        if (is_worse(problem.objective, one.score, best.first->score) &&
            (!best.second || one.score < best.second->score))
            best.second = one;
    return best;
}

certificate::Proof prove(const Problem& problem, const Mapspace& mapspace, const Rated& claimed) {
    const certificate::Cost cost{claimed.cost.energy_pj, static_cast<double>(claimed.cost.cycles)};
    return certificate::prove(problem.einsum, problem.architecture, mapspace,
                              certificate::Goal::optimal(problem.objective, cost));
}

void fail(const Problem& problem, std::uint64_t number, const char* what, const Rated& rated,
          const certificate::Proof& proof, Tally& tally) {
    ++tally.failures;
    std::printf("problem %llu: %s\n%s", static_cast<unsigned long long>(number), what, to_text(problem).c_str());
    std::printf("claimed: %.17g pJ, %lld cycles\n", rated.cost.energy_pj, static_cast<long long>(rated.cost.cycles));
    for (const certificate::Doubt& doubt : proof.doubts)
        std::printf("  assignment %lld (%s): %.17g pJ, %.17g cycles\n", static_cast<long long>(doubt.assignment),
                    doubt.what.c_str(), doubt.bound.energy_pj, doubt.bound.cycles);
}

void check(const Options& options, std::uint64_t number, Tally& tally) {
    const Problem problem = property::random_problem(Random::split(options.seed, number), options.operations);
    const Mapspace mapspace(problem.einsum, problem.architecture, problem.constraints);
    const LeanEvaluator evaluator(problem.einsum, problem.architecture);
    const std::optional<Best> best = best_of_all(problem, mapspace, evaluator, options.points);
    if (!best || !best->first) {
        ++tally.passed_over;
        return;
    }
    const certificate::Proof proof = prove(problem, mapspace, *best->first);
    if (proof.doubts.empty()) {
        ++tally.confirmed;
    } else {
        ++tally.unconfirmed;
        const SearchResult found = OptimalMapper({.warm_up = 0}).search(mapspace, evaluator, problem.objective, {}, {});
        if (found.stopped == StopReason::proven)
            fail(problem, number, "the best mapping is proven, but not confirmed", *best->first, proof, tally);
    }
    if (!best->second) return;
    const certificate::Proof wrong = prove(problem, mapspace, *best->second);
    if (wrong.doubts.empty())
        fail(problem, number, "the second best mapping is confirmed as the best", *best->second, wrong, tally);
    else
        ++tally.refuted;
}

}  // namespace

int main(int argc, char** argv) try {
    Options options;
    CLI::App app("Holds the checker of certificates against every mapping of small problems");
    app.add_option("--problems", options.problems);
    app.add_option("--seed", options.seed);
    app.add_option("--first", options.first);
    app.add_option("--operations", options.operations);
    app.add_option("--points", options.points);
    CLI11_PARSE(app, argc, argv);
    Tally tally;
    for (std::uint64_t n = options.first; n < options.problems && tally.failures == 0; ++n) check(options, n, tally);
    std::printf(
        "%llu best mappings confirmed, %llu neither confirmed nor proven, %llu second best ones refuted, %llu "
        "problems passed over, %d failures\n",
        static_cast<unsigned long long>(tally.confirmed), static_cast<unsigned long long>(tally.unconfirmed),
        static_cast<unsigned long long>(tally.refuted), static_cast<unsigned long long>(tally.passed_over),
        tally.failures);
    return tally.failures == 0 ? 0 : 1;
} catch (const std::exception& error) {
    std::fprintf(stderr, "property_certificate: %s\n", error.what());
    return 2;
}
