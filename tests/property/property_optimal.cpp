// The optimal mapper against every mapping there is, on many small random problems:
//
//     property_optimal --problems 100000 --seed 7 [--first 2500] [--operations 200] [--points 100000] [--uneven]
//                      [--factors ruby-s] [--pareto] [--files] [--wires] [--free] [--objective edp]
//
// --files: the mappings are listed by code that knows no mapspace (mapping_files.hpp).
//
// Of the fastest mappings the one of least energy has to be found. For other objectives it is counted how often one
// that is better in what the objective leaves out (Score::tie) was missed: that is only decided among mappings that
// were followed to their end. --pareto compares whole fronts of energy and latency instead of the problems' own
// objectives.
//
// Problems of more mappings than --points are skipped. The first problem on which another mapping beats the optimal
// mapper's is printed; the exit status is then 1.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/numbers/random.hpp"
#include "harness.hpp"
#include "mapper/optimal/optimal.hpp"
#include "mapping/text.hpp"
#include "mapping/tile.hpp"
#include "mapping/validity.hpp"
#include "mapping_files.hpp"
#include "model/exact/model.hpp"
#include "random_problem.hpp"
#include "uneven_mappings.hpp"

namespace {

using namespace tilewright;
using property::Problem;

struct Options {
    std::int64_t points = 100'000;
    bool uneven = false;
    bool pareto = false;
    bool files = false;
    bool wires = false;
    bool passages = false;
    bool rooms = false;
    bool free = false;
    std::string factors = "perfect";
    std::string objective;  ///< of every problem; empty: its own
    double give_up = 0.0;   ///< seconds; 0: never
};

struct Tally {
    std::uint64_t compared = 0;
    std::uint64_t proven = 0;  ///< of these
    std::uint64_t too_large = 0;
    std::uint64_t too_long = 0;  ///< given up: not compared
    std::uint64_t without_mapping = 0;
    std::uint64_t without_proof = 0;
    std::uint64_t worse_ties = 0;
};

struct Best {
    Score score;
    std::optional<Mapping> mapping;
    std::map<std::int64_t, double> energy_pj;  ///< the least of each number of cycles

    template <typename MakeMapping>
    void offer(const Objective& objective, double pj, std::int64_t cycles, const MakeMapping& make_mapping) {
        const auto [at, is_new] = energy_pj.try_emplace(cycles, pj);
        if (!is_new) at->second = std::min(at->second, pj);
        const Score offered = objective.score(pj, cycles);
        if (!mapping || offered < score) {
            score = offered;
            mapping = make_mapping();
        }
    }
};

/// Tries every mapping; nothing when there are too many.
std::optional<Best> best_of_all(const Mapspace& mapspace, const LeanEvaluator& evaluator, const Objective& objective,
                                std::int64_t most) {
    Best best;
    std::int64_t seen = 0;
    const bool all = mapspace.enumerate([&](const TilingPoint& point) {
        if (++seen > most) return false;
        const LeanCost cost = evaluator.evaluate(point);
        if (!cost.valid()) return true;
        best.offer(objective, cost.energy_pj, cost.cycles, [&] { return mapping_of(point, evaluator.einsum()); });
        return true;
    });
    return all ? std::optional(best) : std::nullopt;
}

/// By counting up to the extent in steps of the rule.
bool breaks_a_rule(const Einsum& einsum, const Memory& memory, int tensor, const Extents& tile) {
    for (int d = 0; d < einsum.dimension_count(); ++d) {
        const auto found = memory.tile.find(einsum.dimensions[d].name);
        if (found == memory.tile.end() || !is_relevant(einsum.tensors[tensor], d)) continue;
        std::int64_t legal = 0;
        while (legal < tile[d]) legal += found->second.multiple_of;
        if (legal != tile[d] || tile[d] < found->second.at_least || tile[d] > found->second.at_most.value_or(tile[d]))
            return true;
    }
    return false;
}

/// Every memory's buffers, each a whole number of granules of bits, fit what is not reserved: counted bit by bit, with
/// nothing of the library but the tile's box.
bool has_rooms(const Problem& problem, const Mapping& mapping) {
    const std::vector<Extents> inside = extents_inside(problem.einsum, mapping);
    std::vector<std::int64_t> bits(problem.architecture.memories.size(), 0);
    for (std::size_t i = 0; i < mapping.nodes.size(); ++i) {
        const auto* store = std::get_if<Store>(&mapping.nodes[i]);
        if (store == nullptr) continue;
        const Memory& memory = problem.architecture.memories[store->memory];
        for (int t = 0; t < problem.einsum.tensor_count(); ++t) {
            if (!store->tensors.has(t)) continue;
            if (breaks_a_rule(problem.einsum, memory, t, inside[i])) return false;
            const Tensor& tensor = problem.einsum.tensors[t];
            const std::int64_t each = tensor.bits > 0 ? tensor.bits : memory.word_bits;
            const std::int64_t granule = memory.alignment_words == 1 ? 1 : memory.alignment_words * memory.word_bits;
            std::int64_t room = box_words(tensor, inside[i]) * each;
            while (room % granule != 0) ++room;
            const auto buffers = memory.buffers.find(tensor.name);
            bits[store->memory] += room * (buffers == memory.buffers.end() ? 1 : buffers->second);
        }
    }
    for (std::size_t m = 0; m < bits.size(); ++m) {
        const Memory& memory = problem.architecture.memories[m];
        if (memory.capacity_words && bits[m] > (*memory.capacity_words - memory.reserved_words) * memory.word_bits)
            return false;
    }
    return true;
}

/// As check() says, but for the rules of tiles, whose judge is has_rooms() alone.
bool is_legal(const Problem& problem, const Mapping& mapping) {
    if (std::ranges::none_of(problem.architecture.memories, &Memory::rules_tiles))
        return check(problem.einsum, problem.architecture, mapping).empty();
    if (!has_rooms(problem, mapping)) return false;
    Architecture roomy = problem.architecture;
    for (Memory& memory : roomy.memories) {
        memory.alignment_words = 1;
        memory.buffers.clear();
        memory.tile.clear();
    }
    return check(problem.einsum, roomy, mapping).empty();
}

std::optional<Best> best_of_all_uneven(const Problem& problem, const Objective& objective, std::int64_t most) {
    Best best;
    const bool all = property::enumerate_uneven(problem, most, [&](const Mapping& mapping) {
        if (!is_legal(problem, mapping)) return true;
        const Evaluation evaluation = evaluate(problem.einsum, problem.architecture, mapping);
        best.offer(objective, evaluation.energy_pj, evaluation.cycles, [&] { return mapping; });
        return true;
    });
    return all ? std::optional(best) : std::nullopt;
}

std::optional<Best> best_of_all_files(const Problem& problem, FactorRule rule, const Objective& objective,
                                      std::int64_t most) {
    Best best;
    const bool all = property::visit_mapping_files(problem, rule, most, [&](const Mapping& mapping) {
        if (!is_legal(problem, mapping)) return true;
        const Evaluation evaluation = evaluate(problem.einsum, problem.architecture, mapping);
        best.offer(objective, evaluation.energy_pj, evaluation.cycles, [&] { return mapping; });
        return true;
    });
    return all ? std::optional(best) : std::nullopt;
}

constexpr double kSlack = 1.0 + 1e-9;

/// No mapping has both less energy and fewer cycles than all of the front, and none of the front is better than it can.
bool same_front(const Best& truth, const std::vector<FrontPoint>& front) {
    for (const auto& [cycles, pj] : truth.energy_pj) {
        const bool covered = std::any_of(front.begin(), front.end(), [&](const FrontPoint& point) {
            return point.cost.cycles <= cycles && point.cost.energy_pj <= pj * kSlack;
        });
        if (!covered) return false;
    }
    return std::all_of(front.begin(), front.end(), [&](const FrontPoint& point) {
        const auto same = truth.energy_pj.find(point.cost.cycles);
        return same != truth.energy_pj.end() && same->second <= point.cost.energy_pj * kSlack;
    });
}

bool same_tie(const Best& truth, const SearchResult& found) {
    return !truth.mapping || found.score.tie <= truth.score.tie * kSlack;
}

bool agree(const Best& truth, const SearchResult& found, ObjectiveKind objective) {
    if (truth.mapping.has_value() != found.best.has_value()) return false;
    if (!truth.mapping) return true;
    if (*found.lower_bound > truth.score.value * kSlack || found.score.value * kSlack < truth.score.value) return false;
    if (found.stopped != StopReason::proven) return true;
    if (objective == ObjectiveKind::pareto) return same_front(truth, found.front);
    return found.score.value <= truth.score.value * kSlack &&
           (objective != ObjectiveKind::latency || same_tie(truth, found));
}

void report(const Problem& problem, std::uint64_t number, const Best& truth, const SearchResult& found) {
    std::printf("problem %llu\n%s", static_cast<unsigned long long>(number), to_text(problem).c_str());
    const auto print = [&](const char* who, const Score& score, const std::optional<Mapping>& mapping) {
        if (mapping) std::printf("%s: %.12g, then %.12g\n", who, score.value, score.tie);
        if (mapping) std::printf("%s\n", loop_nest_text(problem.einsum, problem.architecture, *mapping).c_str());
    };
    std::printf("cycles and their least energy:");
    for (const auto& [cycles, pj] : truth.energy_pj) std::printf(" %lld: %.17g", static_cast<long long>(cycles), pj);
    std::printf("\nfront of optimal:");
    for (const FrontPoint& point : found.front)
        std::printf(" %lld: %.17g", static_cast<long long>(point.cost.cycles), point.cost.energy_pj);
    std::printf("\n");
    print("best of all", truth.score, truth.mapping);
    print("optimal", found.score, found.best ? mapping_of(*found.best, problem.einsum) : std::nullopt);
    if (found.lower_bound) std::printf("its lower bound: %.12g\n", *found.lower_bound);
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
    if (!options.objective.empty()) problem.objective = parse_objective(options.objective).value();
    return problem;
}

// How many failures it is: 0 or 1.
int compare(const Options& options, std::uint64_t number, const Problem& problem, Tally& tally) {
    const Mapspace mapspace(problem.einsum, problem.architecture, problem.constraints,
                            factor_rule_named(options.factors).value());
    const LeanEvaluator evaluator(problem.einsum, problem.architecture);
    const Objective objective = options.pareto ? Objective{ObjectiveKind::pareto} : problem.objective;
    const auto truth =
        options.uneven ? best_of_all_uneven(problem, objective, options.points)
        : options.files || options.rooms
            ? best_of_all_files(problem, factor_rule_named(options.factors).value(), objective, options.points)
            : best_of_all(mapspace, evaluator, objective, options.points);
    if (!truth) {
        ++tally.too_large;
        return 0;
    }
    Budget budget;
    if (options.give_up > 0.0) budget.time = std::chrono::duration<double>(options.give_up);
    const SearchResult found =
        OptimalMapper({.warm_up = 0, .uneven = options.uneven}).search(mapspace, evaluator, objective, budget, {});
    if (found.stopped == StopReason::time) {
        ++tally.too_long;
        return 0;
    }
    if (found.best && found.stopped != StopReason::proven) ++tally.without_proof;
    ++(truth->mapping ? tally.compared : tally.without_mapping);
    const bool proven = found.best && found.stopped == StopReason::proven;
    if (proven && truth->mapping) ++tally.proven;
    if (proven && !options.pareto && !same_tie(*truth, found)) ++tally.worse_ties;
    if (agree(*truth, found, objective.kind)) return 0;
    report(problem, number, *truth, found);
    return 1;
}

// What is known so far: a long run may be stopped.
void print(const Tally& tally) {
    std::printf(
        "%llu problems agree (%llu without proof, %llu with a worse tie), %llu have no mapping, %llu are too large, "
        "%llu take too long\n",
        static_cast<unsigned long long>(tally.compared), static_cast<unsigned long long>(tally.without_proof),
        static_cast<unsigned long long>(tally.worse_ties), static_cast<unsigned long long>(tally.without_mapping),
        static_cast<unsigned long long>(tally.too_large), static_cast<unsigned long long>(tally.too_long));
}

}  // namespace

int main(int argc, char** argv) {
    Options options;
    Tally tally;
    property::Harness harness("property_optimal", "Compares the optimal mapper with every mapping of small problems",
                              {});
    CommandLine& line = harness.line;
    line.option("--points", &options.points, "most mappings of a problem");
    line.option("--uneven", &options.uneven, "uneven mappings too");
    line.option("--files", &options.files, "list mappings as files may say them, without a mapspace");
    line.option("--wires", &options.wires, "wires cost energy on every machine");
    line.option("--rooms", &options.rooms, "memories align tiles, buffer them by tensor, reserve words");
    line.option("--passages", &options.passages, "words pay passages, and writes of a memory stop the units");
    line.option("--free", &options.free, "machines without constraints, and fan-outs directly inside each other");
    line.option("--pareto", &options.pareto, "fronts of energy and latency");
    line.option("--give-up", &options.give_up, "seconds for one problem, which is not compared then");
    line.option("--objective", &options.objective, "of every problem: energy, latency, edp, energy*latency^2, ...");
    line.option("--factors", &options.factors, "", {.choices = {"perfect", "ruby-s", "ruby-t", "ruby"}});
    harness.least("compared", "problems that were compared", &tally.compared);
    harness.least("proven", "of their answers that were proven", &tally.proven);
    if (const std::optional<int> status = harness.parse(argc, argv)) return *status;
    if (!options.objective.empty() && !parse_objective(options.objective)) {
        std::fprintf(stderr, "property_optimal: no objective: %s\n", options.objective.c_str());
        return 2;
    }
    const auto failures_of = [&](std::uint64_t number) {
        return compare(options, number, problem_of(harness.cases(), options, number), tally);
    };
    return harness.run(failures_of, [&] { print(tally); });
}
