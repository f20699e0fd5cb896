// What the checker of certificates bounds the cost of nests with spatial remainders by, against what they cost:
//
//     property_bounds --problems 100000 --seed 7 [--first 2500] [--operations 80] [--points 20000]
//
// Every nest of every assignment of small random problems is listed, once for every way to build it. None may cost less
// than the bound of the way, and of the mapspace, if it has no more than --points mappings, none with a remainder may
// be missing. The first problem where that does not hold is printed; the exit status is then 1.
#include <cstdint>
#include <cstdio>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "certificate/common/prove.hpp"
#include "harness.hpp"
#include "mapping/perfect.hpp"
#include "mapping/text.hpp"
#include "model/lean/lean.hpp"
#include "random_problem.hpp"

namespace {

using namespace tilewright;
using property::Problem;

struct Options {
    std::int64_t points = 20'000;
};

struct Tally {
    std::uint64_t nests = 0;
    double shares = 0.0;          ///< bounds of energy over energies, added up
    std::uint64_t found = 0;      ///< mappings that had to be listed
    std::uint64_t too_large = 0;  ///< problems
};

std::string text_of(const Problem& problem, const PerfectPoint& nest) {
    return loop_nest_text(problem.einsum, problem.architecture, mapping_of(nest, problem.einsum).value());
}

void print(const Problem& problem, std::uint64_t number, const char* what, const std::string& nest) {
    std::printf("problem %llu: a nest %s\n%s%s\n", static_cast<unsigned long long>(number), what,
                to_text(problem).c_str(), nest.c_str());
}

void print(const Problem& problem, std::uint64_t number, const PerfectPoint& nest, const certificate::Cost& bound,
           const certificate::Cost& real) {
    print(problem, number, "costs less than its bound", text_of(problem, nest));
    std::printf("bound: %.17g pJ, %.17g cycles; cost: %.17g pJ, %.17g cycles\n", bound.energy_pj, bound.cycles,
                real.energy_pj, real.cycles);
}

/// The factors of some dimension multiply to more than its extent.
bool is_imperfect(const Einsum& einsum, const PerfectPoint& point) {
    for (int d = 0; d < point.dimension_count(); ++d) {
        std::int64_t product = 1;
        for (int l = 0; l < point.level_count(); ++l)
            product *= std::int64_t{point[l].temporal[d]} * point[l].spatial[d];
        if (product > einsum.dimensions[static_cast<std::size_t>(d)].extent) return true;
    }
    return false;
}

/// Some mapping that leaves a remainder is not among those listed.
bool misses_some(const Options& options, const Problem& problem, std::uint64_t number, const Mapspace& mapspace,
                 const std::set<std::string>& listed, Tally& tally) {
    const LeanEvaluator evaluator(problem.einsum, problem.architecture);
    std::vector<std::string> all;
    std::int64_t seen = 0;
    const bool complete = mapspace.enumerate([&](const PerfectPoint& point) {
        if (++seen > options.points) return false;
        if (is_imperfect(problem.einsum, point) && evaluator.evaluate(point).valid())
            all.push_back(text_of(problem, point));
        return true;
    });
    if (!complete) return false;
    for (const std::string& nest : all) {
        ++tally.found;
        if (listed.contains(nest)) continue;
        print(problem, number, "is not listed", nest);
        return true;
    }
    return false;
}

int check(const property::Harness& harness, const Options& options, std::uint64_t number, Tally& tally) {
    const Problem problem = property::random_problem(harness.seed_of(number), harness.cases().operations);
    const Mapspace mapspace(problem.einsum, problem.architecture, problem.constraints, FactorRule::ruby_s);
    if (!mapspace.problem().empty() || !mapspace.has_remainders()) return 0;
    std::set<std::string> listed;
    bool wrong = false;
    const auto hold = [&](const PerfectPoint& nest, const certificate::Cost& bound, const certificate::Cost& real) {
        ++tally.nests;
        listed.insert(text_of(problem, nest));
        tally.shares += bound.energy_pj / real.energy_pj;
        const bool is_wrong = certificate::falls_short(real, bound);
        if (is_wrong && !wrong) print(problem, number, nest, bound, real);
        wrong = wrong || is_wrong;
    };
    if (!certificate::list_imperfect_nests(problem.einsum, problem.architecture, mapspace, hold))
        ++tally.too_large;
    else
        wrong = misses_some(options, problem, number, mapspace, listed, tally) || wrong;
    return wrong ? 1 : 0;
}

void print(const Tally& tally) {
    std::printf(
        "%llu nests, bounded by %.4f of their energy on average, all of %llu mappings with remainders among them; "
        "%llu problems with too many\n",
        static_cast<unsigned long long>(tally.nests), tally.shares / static_cast<double>(tally.nests),
        static_cast<unsigned long long>(tally.found), static_cast<unsigned long long>(tally.too_large));
}

}  // namespace

int main(int argc, char** argv) {
    Options options;
    Tally tally;
    property::Harness harness("property_bounds",
                              "Compares the checker's bounds of nests with spatial remainders with the evaluator",
                              {.operations = 80});
    harness.line.option("--points", &options.points, "most mappings of a problem");
    harness.least("nests", "nests that were bounded", &tally.nests);
    harness.least("mappings", "mappings with remainders, all of which were listed", &tally.found);
    if (const std::optional<int> status = harness.parse(argc, argv)) return *status;
    return harness.run([&](std::uint64_t number) { return check(harness, options, number, tally); },
                       [&] { print(tally); });
}
