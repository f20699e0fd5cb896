// What the checker of certificates bounds the cost of nests by, against what they cost:
//
//     property_bounds --problems 100000 --seed 7 [--first 2500] [--operations 80] [--points 20000]
//     property_bounds --perfect [--free] [--wires] ...
//
// With spatial remainders: // Every nest of every assignment of small random problems is listed, once for every way to
// build it. None may cost less than the bound of the way, and of the mapspace, if it has no more than --points
// mappings, none with a remainder may be missing. --perfect: of the problems that have no more than --points mappings
// without remainders, none may cost less than all with its spatial factors, layout and kept tensors are said to cost at
// least. The first problem where that does not hold is printed; the exit status is then 1.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/numbers/random.hpp"
#include "certificate/common/assignments.hpp"
#include "certificate/prove/prove.hpp"
#include "harness.hpp"
#include "mapping/text.hpp"
#include "mapping/tiling_point.hpp"
#include "model/lean/lean.hpp"
#include "random_problem.hpp"

namespace {

using namespace tilewright;
using property::Problem;

struct Options {
    std::int64_t points = 20'000;
    bool perfect = false;
    bool free = false;
    bool wires = false;
};

struct Tally {
    std::uint64_t nests = 0;
    double shares = 0.0;          ///< bounds of energy over energies, added up
    std::uint64_t found = 0;      ///< mappings that had to be listed
    std::uint64_t too_large = 0;  ///< problems
    std::uint64_t assignments = 0;
    std::uint64_t met = 0;  ///< bounds of assignments that some mapping costs
};

std::string text_of(const Problem& problem, const TilingPoint& nest) {
    return loop_nest_text(problem.einsum, problem.architecture, mapping_of(nest, problem.einsum).value());
}

void print(const Problem& problem, std::uint64_t number, const char* what, const std::string& nest) {
    std::printf("problem %llu: a nest %s\n%s%s\n", static_cast<unsigned long long>(number), what,
                to_text(problem).c_str(), nest.c_str());
}

void print(const Problem& problem, std::uint64_t number, const TilingPoint& nest, const certificate::Cost& bound,
           const certificate::Cost& real) {
    print(problem, number, "costs less than its bound", text_of(problem, nest));
    std::printf("bound: %.17g pJ, %.17g cycles; cost: %.17g pJ, %.17g cycles\n", bound.energy_pj, bound.cycles,
                real.energy_pj, real.cycles);
}

/// The factors of some dimension multiply to more than its extent.
bool is_imperfect(const Einsum& einsum, const TilingPoint& point) {
    for (int d = 0; d < point.dimension_count(); ++d) {
        std::int64_t product = 1;
        for (int l = 0; l < point.level_count(); ++l)
            product *= std::int64_t{point[l].temporal[d]} * point[l].spatial[d];
        if (product > einsum.dimensions[d].extent) return true;
    }
    return false;
}

/// Some mapping that leaves a remainder is not among those listed.
bool misses_some(const Options& options, const Problem& problem, std::uint64_t number, const Mapspace& mapspace,
                 const std::set<std::string>& listed, Tally& tally) {
    const LeanEvaluator evaluator(problem.einsum, problem.architecture);
    std::vector<std::string> all;
    std::int64_t seen = 0;
    const bool complete = mapspace.enumerate([&](const TilingPoint& point) {
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
    const auto hold = [&](const TilingPoint& nest, const certificate::Cost& bound, const certificate::Cost& real) {
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

/// The best of all mappings with the same spatial factors, layout and kept tensors.
struct Least {
    TilingPoint assignment;
    certificate::Cost cost;
};

std::string text_of(const certificate::Cost& cost) {
    char text[80];
    std::snprintf(text, sizeof text, "%.17g pJ, %.17g cycles", cost.energy_pj, cost.cycles);
    return text;
}

int check_perfect(const property::Harness& harness, const Options& options, std::uint64_t number, Tally& tally) {
    Problem problem = property::random_problem(harness.seed_of(number), harness.cases().operations);
    if (options.free) property::make_free(harness.seed_of(number) + 2, problem);
    if (options.wires) property::make_wires_cost(harness.seed_of(number) + 1, problem.architecture);
    const Mapspace mapspace(problem.einsum, problem.architecture, problem.constraints, FactorRule::perfect);
    const LeanEvaluator evaluator(problem.einsum, problem.architecture);
    std::map<std::string, Least> all;
    std::int64_t seen = 0;
    const bool complete = mapspace.enumerate([&](const TilingPoint& point) {
        if (++seen > options.points) return false;
        const LeanCost lean = evaluator.evaluate(point);
        if (!lean.valid()) return true;
        ++tally.nests;
        const certificate::Cost cost{lean.energy_pj, static_cast<double>(lean.cycles)};
        TilingPoint assignment = point;
        for (int l = 0; l < point.level_count(); ++l) assignment[l].temporal.fill(1);
        const auto [at, is_new] = all.try_emplace(certificate::to_text({assignment, false}), Least{assignment, cost});
        certificate::Cost& least = at->second.cost;
        least = {std::min(least.energy_pj, cost.energy_pj), std::min(least.cycles, cost.cycles)};
        return true;
    });
    if (!complete) {
        ++tally.too_large;
        return 0;
    }
    for (const auto& [text, least] : all) {
        const certificate::Cost bound = certificate::least_cost(problem.einsum, problem.architecture, mapspace,
                                                                least.assignment, certificate::Storage::even);
        ++tally.assignments;
        tally.shares += bound.energy_pj / least.cost.energy_pj;
        if (bound.energy_pj * (1.0 + 1e-9) >= least.cost.energy_pj) ++tally.met;
        if (!certificate::falls_short(least.cost, bound)) continue;
        print(problem, number, ("of " + text + " costs less than its bound").c_str(), "");
        std::printf("bound: %s; cost: %s\n", text_of(bound).c_str(), text_of(least.cost).c_str());
        return 1;
    }
    return 0;
}

void print_perfect(const Tally& tally) {
    std::printf(
        "%llu nests of %llu assignments, bounded by %.4f of the least energy on average, %llu by all of it; "
        "%llu problems with too many\n",
        static_cast<unsigned long long>(tally.nests), static_cast<unsigned long long>(tally.assignments),
        tally.shares / static_cast<double>(tally.assignments), static_cast<unsigned long long>(tally.met),
        static_cast<unsigned long long>(tally.too_large));
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
    property::Harness harness("property_bounds", "Compares the checker's bounds of nests with the evaluator",
                              {.operations = 80});
    harness.line.option("--points", &options.points, "most mappings of a problem");
    harness.line.option("--perfect", &options.perfect, "nests without remainders, by assignment");
    harness.line.option("--free", &options.free, "of these, machines without constraints");
    harness.line.option("--wires", &options.wires, "wires that cost energy");
    harness.least("assignments", "assignments that were bounded", &tally.assignments);
    harness.least("nests", "nests that were bounded", &tally.nests);
    harness.least("mappings", "mappings with remainders, all of which were listed", &tally.found);
    if (const std::optional<int> status = harness.parse(argc, argv)) return *status;
    if (options.perfect)
        return harness.run([&](std::uint64_t number) { return check_perfect(harness, options, number, tally); },
                           [&] { print_perfect(tally); });
    return harness.run([&](std::uint64_t number) { return check(harness, options, number, tally); },
                       [&] { print(tally); });
}
