// The search of sparse machines against all mappings, each counted by the exact account:
//
//     property_sparse_search --cases 2000 --seed 7
//
// None may be better than what is called proven, none below the bound, and what was found costs what it is said to.
// Every case is searched twice: with the prices of words alone, and where small spaces are seen mapping by mapping.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <optional>
#include <utility>
#include <vector>

#include "harness.hpp"
#include "mapper/optimal/optimal.hpp"
#include "mapper/priced/priced_search.hpp"
#include "mapspace/layer_problem.hpp"
#include "random_sparse.hpp"
#include "random_words.hpp"
#include "uneven_mappings.hpp"

namespace {

using namespace tilewright;
using property::Harness;

struct Case {
    LayerProblem layer;
    Objective objective;
    bool uneven = false;
    FactorRule factors = FactorRule::perfect;

    sparse::Design& design() { return *layer.zeros; }
};

struct Tally {
    std::uint64_t proven = 0;     ///< with the prices of words alone, though zeros save something
    std::uint64_t open = 0;       ///< intervals
    std::uint64_t seen = 0;       ///< proven as all were seen
    std::uint64_t mappings = 0;   ///< that were counted
    std::uint64_t partial = 0;    ///< of these searches, with wider partial sums
    std::uint64_t blocks = 0;     ///< with words in blocks
    std::uint64_t fronts = 0;     ///< of several points, proven
    std::uint64_t imperfect = 0;  ///< searches whose answer has remainders
    std::uint64_t none = 0;       ///< cases without a mapping that is counted
};

constexpr std::int64_t kMostMappings = 400;
constexpr std::int64_t kMostUneven = 2500;
constexpr std::int64_t kMostImperfect = 1500;
constexpr double kSame = 1e-9;

void furnish(Random& random, bool by_words, Case& one) {
    std::int64_t instances = 1;
    for (std::size_t m = 0; m < one.layer.architecture.memories.size(); ++m) {
        Memory& memory = one.layer.architecture.memories[m];
        memory.instances = instances;
        memory.mesh = {instances, 1};
        if (random.chance(by_words ? 0.0 : 0.4)) instances *= 2;
        memory.energy.read_pj.value = static_cast<double>(random.between(1, 20));
        memory.energy.fill_pj.value = static_cast<double>(random.between(1, 20));
        memory.energy.update_pj.value = static_cast<double>(random.between(1, 20));
        memory.energy.leak_pj_per_cycle.value = static_cast<double>(random.between(0, 2));
        if (random.chance(0.3)) memory.block_words = 4;
        if (random.chance(0.2)) memory.address_energy_pj = 0.5;
        if (m > 0 && random.chance(0.6)) memory.capacity_words = random.between(4, 40);
        if (random.chance(0.3)) memory.read_words_per_cycle = static_cast<double>(random.between(1, 4)) / 2.0;
        if (random.chance(0.3)) memory.shared_words_per_cycle = static_cast<double>(random.between(1, 4));
        if (random.chance(0.2)) memory.link.energy_per_hop_pj = 2.0;
        sparse::MemoryDesign& built = one.design().memories[m];
        built.metadata_width_bits = random.chance(0.3) ? 1 : 16;
        if (random.chance(0.2)) built.metadata_depth = random.between(1, 8);
        built.metadata = {static_cast<double>(random.between(0, 3)), 1.0, 1.0};
        built.gated = {static_cast<double>(random.between(0, 4)), 1.0, 1.0};
        built.skipped = {static_cast<double>(random.between(0, 2)), 0.0, 1.0};
        built.decompression_pj = 0.25;
        built.compression_pj = 0.5;
    }
    one.layer.architecture.compute.instances = instances;
    one.layer.architecture.compute.mesh = {instances, 1};
    one.layer.architecture.compute.energy_pj.value = static_cast<double>(random.between(1, 5));
    one.design().gated_compute_pj = random.chance(0.5) ? 0.5 : one.layer.architecture.compute.energy_pj.value;
    one.design().skipped_compute_pj = random.chance(0.5) ? 0.25 : 0.0;
}

// Nothing that more than one word decides: formats of one rank, options at the innermost memory, which has all.
void simplify(Case& one) {
    for (std::size_t m = 0; m < one.design().memories.size(); ++m) {
        sparse::MemoryDesign& built = one.design().memories[m];
        for (auto& format : built.formats)
            if (format) format->ranks = {{sparse::RankFormat::cp, 3, 5, {}}};
        const bool is_innermost = m + 1 == one.design().memories.size();
        if (!is_innermost) {
            built.gating.clear();
            built.skipping.clear();
            continue;
        }
        one.layer.constraints.levels[m].must_keep = TensorSet::all(one.layer.einsum.tensor_count());
    }
}

Case random_case(std::uint64_t seed, std::int64_t operations, bool odd) {
    Random random(Random::split(seed, 1));
    property::SparseCase base = property::random_sparse(seed, operations, odd);
    Case one{{base.einsum, base.architecture, {}, {}, base.design}, {}};
    one.layer.constraints.levels.resize(one.layer.architecture.memories.size());
    one.layer.constraints.levels[0].must_keep = TensorSet::all(one.layer.einsum.tensor_count());
    const bool by_words = random.chance(0.5);
    if (by_words) simplify(one);
    furnish(random, by_words, one);
    if (random.chance(0.3)) one.layer.words.blocks = property::random_formats(random, one.layer.einsum);
    if (random.chance(0.4)) one.layer.words.partial_bits = property::random_partial_bits(random, one.layer.einsum);
    static constexpr ObjectiveKind kKinds[] = {ObjectiveKind::edp, ObjectiveKind::energy, ObjectiveKind::latency,
                                               ObjectiveKind::pareto};
    one.objective.kind = kKinds[random.below(4)];
    return one;
}

// The best of all mappings, or nothing where they are too many.
struct Enumerated {
    Score best;
    std::vector<std::pair<double, double>> costs = {};  ///< energy and cycles of all of them
    std::uint64_t counted = 0;
};

std::optional<Enumerated> enumerated(const Case& one) {
    Enumerated all;
    std::int64_t seen = 0;
    const std::int64_t most = one.uneven                           ? kMostUneven
                              : one.factors != FactorRule::perfect ? kMostImperfect
                                                                   : kMostMappings;
    const auto visit = [&](const Mapping& mapping) {
        if (++seen > most) return false;
        const LayerCosts exact = costs_of(one.layer, mapping);
        if (!exact.evaluation) return true;
        ++all.counted;
        all.costs.emplace_back(exact.evaluation->energy_pj, static_cast<double>(exact.evaluation->cycles));
        all.best = std::min(all.best, one.objective.score(exact.evaluation->energy_pj, exact.evaluation->cycles));
        return true;
    };
    const auto& [einsum, architecture, constraints, words, zeros] = one.layer;
    const bool whole =
        one.uneven ? property::enumerate_uneven({einsum, architecture, constraints, one.objective}, kMostUneven, visit)
                   : Mapspace(einsum, architecture, constraints, one.factors).enumerate([&](const TilingPoint& point) {
                         return visit(mapping_of(point, einsum).value());
                     });
    return whole ? std::optional(all) : std::nullopt;
}

bool is_less(double one, double other) { return one < other * (1.0 - kSame) - 1e-12; }

// "" where the front is right: each point costs what it is said to, and where it is proven nothing is better than all.
const char* fault_of_front(const Case& one, const SearchResult& found, const Enumerated& all) {
    for (const FrontPoint& point : found.front) {
        const LayerCosts counted = costs_of(one.layer, mapping_of(point.mapping, one.layer.einsum).value());
        if (!counted.evaluation) return "a point of the front has no room";
        if (counted.evaluation->energy_pj != point.cost.energy_pj || counted.evaluation->cycles != point.cost.cycles)
            return "a point of the front costs something else";
    }
    for (const auto& [energy_pj, cycles] : all.costs) {
        const bool beaten = std::ranges::any_of(found.front, [&](const FrontPoint& point) {
            return !is_less(energy_pj, point.cost.energy_pj) && static_cast<double>(point.cost.cycles) <= cycles;
        });
        if (!beaten && is_proven(found)) return "the proven front does not beat all mappings";
    }
    return "";
}

// "" where the answer is right.
const char* fault_of(const Case& one, const SearchResult& found, const Enumerated& all, bool sees_all) {
    if (!found.best) return all.counted > 0 && sees_all ? "nothing was found" : "";
    const Mapping mapping = mapping_of(*found.best, one.layer.einsum).value();
    const LayerCosts counted = costs_of(one.layer, mapping);
    if (!counted.violations.empty()) return "it has no room";
    const Evaluation& exact = counted.evaluation.value();
    if (exact.energy_pj != found.cost.energy_pj || exact.cycles != found.cost.cycles) return "it costs something else";
    if (is_less(found.score.value, all.best.value)) return "it is better than all";
    if (found.lower_bound && is_less(all.best.value, *found.lower_bound)) return "a mapping is below the bound";
    if (one.objective.kind == ObjectiveKind::pareto)
        if (const char* fault = fault_of_front(one, found, all); *fault != '\0') return fault;
    if (!is_proven(found)) return sees_all && !one.uneven ? "not all was seen" : "";
    if (is_less(all.best.value, found.score.value)) return "a mapping is better than the proven one";
    const bool ties = one.objective.kind == ObjectiveKind::latency && all.best.value == found.score.value;
    return ties && is_less(all.best.tie, found.score.tie) ? "a mapping as fast has less energy" : "";
}

bool saves(const Case& one) {
    const sparse::Design& design = *one.layer.zeros;
    if (design.has_formats() || design.gates_computes || design.skips_computes) return true;
    for (const sparse::MemoryDesign& memory : design.memories)
        if (!memory.gating.empty() || !memory.skipping.empty()) return true;
    return false;
}

struct Options {
    bool uneven = false;
    bool remainders = false;
};

// Remainders of one kind or the other in turn.
FactorRule rule_of(const Options& options, std::uint64_t number) {
    static constexpr FactorRule kRules[] = {FactorRule::ruby_s, FactorRule::ruby, FactorRule::ruby_s,
                                            FactorRule::ruby_t};
    return options.remainders ? kRules[number % 4] : FactorRule::perfect;
}

int check(const Harness& harness, const Options& options, std::uint64_t number, Tally& tally) {
    Case one = random_case(harness.seed_of(number), harness.cases().operations, options.remainders);
    one.uneven = options.uneven;
    one.factors = rule_of(options, number);
    const Mapspace mapspace(one.layer.einsum, one.layer.architecture, one.layer.constraints, one.factors);
    if (!mapspace.problem().empty()) return 0;
    const std::optional<Enumerated> all = enumerated(one);
    if (!all) return 0;
    tally.mappings += all->counted;
    if (all->counted == 0) ++tally.none;
    Budget budget;
    budget.seed = number;
    // With remainders it would sample small spaces until nothing gets better.
    const std::int64_t warm_up = options.remainders ? 0 : 100;
    for (const bool sees_all : {false, true}) {
        const SearchResult found =
            search_priced(one.layer, one.factors, OptimalMapper({.warm_up = warm_up, .uneven = one.uneven}),
                          one.objective, budget, {}, {.most_seen = sees_all ? 1e6 : 0.0, .tries = 50});
        if (const char* fault = fault_of(one, found, *all, sees_all); *fault != '\0') {
            std::printf("case %llu (%s): %s: found %.17g, bound %.17g, best of %llu %.17g; %s\n",
                        static_cast<unsigned long long>(number), sees_all ? "all" : "prices", fault, found.score.value,
                        found.lower_bound.value_or(-1.0), static_cast<unsigned long long>(all->counted),
                        all->best.value, found.remark.c_str());
            return 1;
        }
        if (!found.best || !saves(one)) continue;
        if (sees_all)
            ++tally.seen;
        else
            ++(is_proven(found) ? tally.proven : tally.open);
        const std::optional<Mapping> mapping = mapping_of(*found.best, one.layer.einsum);
        if (!is_perfect(*mapping)) ++tally.imperfect;
        if (one.layer.words.has_partial_sums()) ++tally.partial;
        if (one.layer.words.has_blocks()) ++tally.blocks;
        if (is_proven(found) && found.front.size() > 1) ++tally.fronts;
    }
    return 0;
}

}  // namespace

int main(int argc, char** argv) try {
    Tally tally;
    Harness harness("property_sparse_search", "Searches of sparse machines against all mappings",
                    {.kind = "cases", .count = 1000, .operations = 24});
    Options options;
    harness.line.option("--uneven", &options.uneven, "uneven mappings, too");
    harness.line.option("--remainders", &options.remainders, "mappings whose factors do not divide, too");
    harness.least("proven", "cases that the prices of words prove", &tally.proven);
    harness.least("open", "cases that they leave open", &tally.open);
    harness.least("partial", "searches with partial sums of a width of their own", &tally.partial);
    harness.least("blocks", "searches with words in blocks", &tally.blocks);
    harness.least("imperfect", "answers with remainders", &tally.imperfect);
    harness.least("fronts", "proven fronts of several points", &tally.fronts);
    harness.least("mappings", "mappings that were counted", &tally.mappings);
    if (const std::optional<int> status = harness.parse(argc, argv)) return *status;
    return harness.run(
        [&](std::uint64_t number) { return check(harness, options, number, tally); },
        [&] {
            std::printf(
                "%llu proven by prices of words, %llu left open by them, %llu seen whole (%llu with wider partial "
                "sums, %llu "
                "with blocks), %llu with remainders, %llu proven fronts of several points, %llu without a mapping; "
                "%llu "
                "mappings counted\n",
                static_cast<unsigned long long>(tally.proven), static_cast<unsigned long long>(tally.open),
                static_cast<unsigned long long>(tally.seen), static_cast<unsigned long long>(tally.partial),
                static_cast<unsigned long long>(tally.blocks), static_cast<unsigned long long>(tally.imperfect),
                static_cast<unsigned long long>(tally.fronts), static_cast<unsigned long long>(tally.none),
                static_cast<unsigned long long>(tally.mappings));
        });
} catch (const std::exception& error) {
    std::fprintf(stderr, "property_sparse_search: %s\n", error.what());
    return 2;
}
