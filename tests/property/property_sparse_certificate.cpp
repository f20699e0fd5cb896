// The checker of certificates of sparse machines against every mapping there is, each counted by the exact account:
//
//     property_sparse_certificate --cases 20000 --seed 7 [--families]
//
// --families: goes through families, however few assignments there are.
// Where the checker says that single words decide, the best of all mappings must be confirmed; the second best claimed
// to be the best must not, nor a claim that the best takes a millionth of its energy more, nor the best of the same
// machine with other densities where that is another cost. And every mapping has to be one that is counted.
#include <cstdint>
#include <cstdio>
#include <exception>
#include <optional>
#include <string>
#include <variant>

#include "certificate/common/zeros.hpp"
#include "certificate/prove/prove.hpp"
#include "harness.hpp"
#include "model/sparse/sparse_model.hpp"
#include "random_sparse.hpp"

namespace {

using namespace tilewright;
using property::Harness;

struct Case {
    Einsum einsum;
    Architecture machine;
    Constraints constraints;
    sparse::Design design;
    Objective objective;
};

struct Tally {
    std::uint64_t confirmed = 0;
    std::uint64_t refused = 0;   ///< lies
    std::uint64_t mappings = 0;  ///< that were counted
    std::uint64_t others = 0;    ///< cases in which tiles decide
    std::uint64_t none = 0;      ///< cases without a mapping, or with too many
};

constexpr std::int64_t kMostMappings = 1500;

sparse::Density random_density(Random& random, const sparse::Density& drawn) {
    if (random.chance(0.2) && !std::holds_alternative<sparse::Measured>(drawn)) return drawn;
    return sparse::FixedStructured{static_cast<double>(random.between(1, 8)) / 8.0};
}

void furnish(Random& random, Memory& memory, sparse::MemoryDesign& built) {
    memory.energy.read_pj.value = static_cast<double>(random.between(1, 20));
    memory.energy.fill_pj.value = static_cast<double>(random.between(1, 20));
    memory.energy.update_pj.value = static_cast<double>(random.between(1, 20));
    memory.energy.leak_pj_per_cycle.value = static_cast<double>(random.between(0, 2));
    if (random.chance(0.3)) memory.block_words = 4;
    if (random.chance(0.2)) memory.address_energy_pj = 0.5;
    if (random.chance(0.2)) memory.read_words_per_cycle = static_cast<double>(random.between(1, 4)) / 2.0;
    if (random.chance(0.2)) memory.shared_words_per_cycle = static_cast<double>(random.between(1, 4));
    built.gated = {static_cast<double>(random.between(0, 30)), 1.0, 1.0};
    built.skipped = {static_cast<double>(random.between(0, 2)), 0.0, 1.0};
    built.decompression_pj = 0.25;
    built.compression_pj = 0.5;
    for (auto& format : built.formats) {
        if (!format) continue;
        format->ranks = {{sparse::RankFormat::cp, 0, 0, {}}};
        if (random.chance(0.05)) format->ranks.front().metadata_bits = 2;
    }
}

// Options lie where compute units ask, mostly: at the innermost memory, which has what they avoid.
void place_options(Random& random, Case& one) {
    const std::size_t innermost = one.design.memories.size() - 1;
    for (std::size_t m = 0; m < innermost; ++m) {
        if (random.chance(0.05)) continue;
        one.design.memories[m].gating.clear();
        one.design.memories[m].skipping.clear();
    }
    for (int t = 0; t < one.einsum.tensor_count(); ++t)
        if (random.chance(0.9)) one.constraints.levels[innermost].must_keep.add(t);
}

void add_fanouts(Random& random, Case& one) {
    std::int64_t instances = 1;
    for (std::size_t m = 0; m < one.machine.memories.size(); ++m) {
        one.machine.memories[m].instances = instances;
        one.machine.memories[m].mesh = {instances, 1};
        if (m + 1 < one.machine.memories.size() ? random.chance(0.4) : random.chance(0.1)) instances *= 2;
    }
    one.machine.compute.instances = instances;
    one.machine.compute.mesh = {instances, 1};
}

Case random_case(std::uint64_t seed, std::int64_t operations) {
    Random random(Random::split(seed, 1));
    property::SparseCase base = property::random_sparse(seed, operations);
    Case one{base.einsum, base.architecture, {}, base.design, {}};
    one.constraints.levels.resize(one.machine.memories.size());
    one.constraints.levels[0].must_keep = TensorSet::all(one.einsum.tensor_count());
    for (sparse::Density& density : one.design.densities) density = random_density(random, density);
    for (std::size_t m = 0; m < one.machine.memories.size(); ++m) {
        furnish(random, one.machine.memories[m], one.design.memories[m]);
        if (m > 0 && random.chance(0.6)) one.machine.memories[m].capacity_words = random.between(4, 40);
    }
    place_options(random, one);
    add_fanouts(random, one);
    one.machine.compute.energy_pj.value = static_cast<double>(random.between(1, 5));
    one.design.gated_compute_pj = random.chance(0.5) ? 0.5 : one.machine.compute.energy_pj.value;
    one.design.skipped_compute_pj = random.chance(0.5) ? 0.25 : 0.0;
    static constexpr ObjectiveKind kKinds[] = {ObjectiveKind::edp, ObjectiveKind::energy, ObjectiveKind::latency};
    one.objective.kind = kKinds[random.below(3)];
    return one;
}

struct Rated {
    Score score;
    certificate::Cost cost;
};

struct Best {
    std::optional<Rated> first;
    std::optional<Rated> second;  ///< of those that are clearly worse
    std::uint64_t counted = 0;
    std::string uncounted;  ///< why some mapping is not counted
};

// Differences that the checker has to see. Between these and none at all is rounding.
bool is_worse(const Case& one, const Score& a, const Score& b) {
    constexpr double kClearly = 1.0 + 1e-7;
    if (a.value > b.value * kClearly) return true;
    return one.objective.kind == ObjectiveKind::latency && a.value == b.value && a.tie > b.tie * kClearly;
}

void take(const Case& one, const Rated& rated, Best& best) {
    ++best.counted;
    const auto take_second = [&](const Rated& other) {
        if (!is_worse(one, other.score, best.first->score)) return;
        if (!best.second || other.score < best.second->score) best.second = other;
    };
    if (!best.first) {
        best.first = rated;
    } else if (rated.score < best.first->score) {
        const Rated before = *best.first;
        best.first = rated;
        take_second(before);
    } else {
        take_second(rated);
    }
}

/// Nothing where there are too many.
std::optional<Best> best_of(const Case& one, const Mapspace& mapspace, const sparse::Design& design) {
    Best best;
    std::int64_t seen = 0;
    const bool whole = mapspace.enumerate([&](const TilingPoint& point) {
        if (++seen > kMostMappings) return false;
        const Mapping mapping = mapping_of(point, one.einsum).value();
        if (!sparse::check(one.einsum, one.machine, mapping, design).empty()) return true;
        const sparse::ExactResult exact = sparse::evaluate(one.einsum, one.machine, mapping, design);
        if (!exact.uncounted.empty()) best.uncounted = exact.uncounted;
        const Evaluation& counted = exact.evaluation;
        if (exact.uncounted.empty())
            take(one,
                 {one.objective.score(counted.energy_pj, counted.cycles),
                  {counted.energy_pj, static_cast<double>(counted.cycles)}},
                 best);
        return true;
    });
    return whole ? std::optional(best) : std::nullopt;
}

bool is_confirmed(const Case& one, const Mapspace& mapspace, const certificate::Cost& cost, bool families) {
    return certificate::prove(one.einsum, one.machine, mapspace, certificate::Goal::optimal(one.objective, cost),
                              certificate::Storage::even, {}, families ? 0 : certificate::kMostAssignments, &one.design)
        .doubts.empty();
}

// Twice as many elements are not zero, and all where that are more than all.
sparse::Design denser(sparse::Design design) {
    for (sparse::Density& density : design.densities)
        if (auto* fixed = std::get_if<sparse::FixedStructured>(&density))
            fixed->density = fixed->density > 0.5 ? 1.0 : fixed->density * 2.0;
    return design;
}

// "" where all is well.
std::string fault_of(const Case& one, const Mapspace& mapspace, const Best& best, bool families, Tally& tally) {
    if (!best.uncounted.empty()) return "a mapping is not counted: " + best.uncounted;
    const Rated& first = *best.first;
    if (!is_confirmed(one, mapspace, first.cost, families)) return "the best mapping is not confirmed";
    ++tally.confirmed;
    certificate::Cost dearer = first.cost;
    dearer.energy_pj *= 1.0 + 1e-6;
    if (is_confirmed(one, mapspace, dearer, families)) return "a bound above the best mapping is confirmed";
    ++tally.refused;
    if (best.second) {
        if (is_confirmed(one, mapspace, best.second->cost, families)) return "the second best mapping is confirmed";
        ++tally.refused;
    }
    const std::optional<Best> other = best_of(one, mapspace, denser(one.design));
    if (!other || !other->first || !is_worse(one, other->first->score, first.score)) return "";
    if (is_confirmed(one, mapspace, other->first->cost, families)) return "the best of other densities is confirmed";
    ++tally.refused;
    return "";
}

int check(const Harness& harness, std::uint64_t number, bool families, Tally& tally) {
    const Case one = random_case(harness.seed_of(number), harness.cases().operations);
    const Mapspace mapspace(one.einsum, one.machine, one.constraints);
    if (!mapspace.problem().empty()) return 0;
    if (!certificate::tile_dependence(one.einsum, one.machine, mapspace, one.design).empty()) {
        ++tally.others;
        return 0;
    }
    const std::optional<Best> best = best_of(one, mapspace, one.design);
    if (!best || (!best->first && best->uncounted.empty())) {
        ++tally.none;
        return 0;
    }
    tally.mappings += best->counted;
    const std::string fault = fault_of(one, mapspace, *best, families, tally);
    if (fault.empty()) return 0;
    std::printf("case %llu: %s; best of %llu: %.17g pJ, %.17g cycles, objective %d\n",
                static_cast<unsigned long long>(number), fault.c_str(), static_cast<unsigned long long>(best->counted),
                best->first ? best->first->cost.energy_pj : -1.0, best->first ? best->first->cost.cycles : -1.0,
                static_cast<int>(one.objective.kind));
    return 1;
}

}  // namespace

int main(int argc, char** argv) try {
    Tally tally;
    bool families = false;
    Harness harness("property_sparse_certificate", "Certificates of sparse machines against all mappings",
                    {.kind = "cases", .count = 1000, .operations = 24});
    harness.line.option("--families", &families, "all at once that differ in fan-outs without memories between them");
    harness.least("confirmed", "best mappings that were confirmed", &tally.confirmed);
    harness.least("refused", "lies that were refused", &tally.refused);
    if (const std::optional<int> status = harness.parse(argc, argv)) return *status;
    return harness.run(
        [&](std::uint64_t number) { return check(harness, number, families, tally); },
        [&] {
            std::printf(
                "%llu best mappings confirmed, %llu lies refused; %llu mappings counted; in %llu cases tiles decide, "
                "%llu have no mapping or too many\n",
                static_cast<unsigned long long>(tally.confirmed), static_cast<unsigned long long>(tally.refused),
                static_cast<unsigned long long>(tally.mappings), static_cast<unsigned long long>(tally.others),
                static_cast<unsigned long long>(tally.none));
        });
} catch (const std::exception& error) {
    std::fprintf(stderr, "property_sparse_certificate: %s\n", error.what());
    return 2;
}
