// Floors of leaves against all even nests of their boxes, on machines of a DRAM, a buffer and an array of units with
// registers of one word.
//
//     property_fused_leaves --problems 500 --seed 7 [--nests 20000]
//
// Boxes of random einsums, with windows that overlap, touch or step over words, and any of their operands in the
// buffer. Every nest that the machine allows is listed and costed by the exact model: none is below all corners of the
// search's floor, nor below the floor of the checker of certificates for any of a few weights, nor below what both say
// of a point of any box. The mapper's leaf is the best of the list.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <optional>
#include <string>
#include <vector>

#include "base/numbers/factors.hpp"
#include "base/numbers/random.hpp"
#include "certificate/fused/nests.hpp"
#include "fusion/hierarchy/floor_leaves.hpp"
#include "fusion/hierarchy/leaf_mapper.hpp"
#include "fusion/hierarchy/roles.hpp"
#include "harness.hpp"
#include "leaf_nests.hpp"
#include "random_chain.hpp"

namespace {

using namespace tilewright;
using namespace tilewright::property;
using certificate::fused_proof::Nests;

struct Tally {
    std::uint64_t compared = 0;
    std::uint64_t nests = 0;
    std::uint64_t windows = 0;  ///< some operand has a window
    std::uint64_t energy = 0;   ///< some nest has the floor's energy
    std::uint64_t cycles = 0;   ///< and its cycles
};

constexpr double kClose = 1e-9;

bool is_summed(const Einsum& einsum, int dimension) {
    return std::ranges::none_of(einsum.tensors,
                                [&](const Tensor& tensor) { return tensor.written && is_relevant(tensor, dimension); });
}

// A box of the einsum: any part of its results, each with all that it sums, or with slices of one dimension of that.
fusion::LeafQuestion random_question(const Einsum& einsum, Random& random) {
    fusion::LeafQuestion question;
    bool holds_results = true;
    for (int t = 0; t < einsum.tensor_count(); ++t) {
        if (random.chance(0.6)) question.held.add(t);
        if (einsum.tensors[t].written) holds_results = holds_results && question.held.has(t);
    }
    for (int d = 0; d < einsum.dimension_count(); ++d) {
        const std::int64_t extent = einsum.dimensions[d].extent;
        question.extents.push_back(extent);
        if (!is_summed(einsum, d)) {
            if (random.chance(0.5)) question.extents.back() = random.between(1, extent);
        } else if (holds_results && question.resumed == 0 && random.chance(0.4)) {
            const std::vector<std::int64_t> parts = divisors(extent);
            question.extents.back() = parts[random.below(parts.size())];
            question.resumed = extent / question.extents.back() - 1;
        }
    }
    return question;
}

bool has_windows(const Einsum& einsum) {
    for (const Tensor& tensor : einsum.tensors)
        for (const Rank& rank : tensor.ranks)
            if (rank.terms.size() > 1) return true;
    return false;
}

struct Leaf {
    const Cascade& cascade;
    const Architecture& machine;
    const std::vector<Constraints>& demands;
    int einsum;
    fusion::LeafQuestion question;
};

// What the searches' floors say.
std::string below_corners(const Leaf& leaf, const std::vector<fusion::LeafPoint>& nests, Tally& tally) {
    std::vector<std::vector<bool>> any;
    for (const CascadeEinsum& one : leaf.cascade.einsums) any.emplace_back(one.einsum.dimensions.size(), true);
    fusion::FloorLeaves floors(leaf.cascade, leaf.machine, leaf.demands, any);
    const auto corners = floors.corners(leaf.einsum, leaf.question);
    double points = static_cast<double>(1 + leaf.question.resumed);
    for (const std::int64_t extent : leaf.question.extents) points *= static_cast<double>(extent);
    const std::vector<double> unpaid(leaf.cascade.einsums[leaf.einsum].einsum.tensors.size(), 0.0);
    const auto& per_point = floors.per_point(leaf.einsum, unpaid);
    bool energy = false;
    bool cycles = false;
    for (const fusion::LeafPoint& nest : nests) {
        const auto is_no_worse = [&](double energy_pj, double count) {
            return energy_pj <= nest.energy_pj * (1.0 + kClose) + kClose && count <= nest.cycles * (1.0 + kClose);
        };
        if (std::ranges::none_of(corners, [&](const auto& c) { return is_no_worse(c.energy_pj, c.cycles); }))
            return "a nest is below all corners";
        if (std::ranges::none_of(per_point,
                                 [&](const auto& c) { return is_no_worse(points * c.energy_pj, points * c.cycles); }))
            return "a nest is below what a point of any box costs";
        energy = energy || nest.energy_pj <= corners.front().energy_pj * (1.0 + kClose) + kClose;
        cycles = cycles || nest.cycles <= corners.back().cycles * (1.0 + kClose);
    }
    tally.energy += energy;
    tally.cycles += cycles;
    return "";
}

// What the checker's floors say.
std::string below_checker(const Leaf& leaf, const std::vector<fusion::LeafPoint>& nests) {
    const Einsum& einsum = leaf.cascade.einsums[leaf.einsum].einsum;
    const auto prices = certificate::fused_proof::prices_of(leaf.machine);
    double points = static_cast<double>(1 + leaf.question.resumed);
    for (const std::int64_t extent : leaf.question.extents) points *= static_cast<double>(extent);
    for (const auto& [energy, cycles] : {std::pair(1.0, 0.0), std::pair(0.0, 1.0), std::pair(1.0, 5.0)}) {
        const certificate::fused_proof::Weights weights{energy, cycles};
        Nests checker(einsum, prices, weights);
        const double floor = checker.floor({leaf.question.extents, leaf.question.held.bits(), leaf.question.resumed});
        const Nests::Paid unpaid(einsum.tensors.size(), 0.0);
        const double inside = checker.floor_inside(leaf.question.extents, unpaid);
        const std::vector<bool> any(einsum.dimensions.size(), true);
        const double per_point = points * checker.least_per_point(any, unpaid).value;
        for (const fusion::LeafPoint& nest : nests) {
            const double value = weights.value(nest.energy_pj, nest.cycles) * (1.0 + kClose) + kClose;
            if (floor > value) return "a nest is below the checker's floor";
            if (inside > value) return "a nest is below the checker's floor of boxes";
            if (per_point > value) return "a nest is below the checker's floor of points";
        }
    }
    return "";
}

// Of calls that go on with no sum the mapper has the best. It does not see what the buffer's bandwidth has to give for
// what a store holds.
std::string not_the_best(const Leaf& leaf, const std::vector<fusion::LeafPoint>& nests) {
    if (leaf.question.resumed > 0 || nests.empty()) return "";
    fusion::LeafMapper mapper(leaf.cascade, leaf.machine, leaf.demands, nullptr);
    std::int64_t room = 0;
    for (const fusion::LeafPoint& nest : nests) room = std::max(room, nest.words);
    for (const ObjectiveKind kind : {ObjectiveKind::energy, ObjectiveKind::latency}) {
        const auto value = [&](const fusion::LeafPoint& nest) {
            return kind == ObjectiveKind::energy ? nest.energy_pj : nest.cycles;
        };
        const double best = value(*std::ranges::min_element(nests, {}, value));
        const fusion::LeafMapping* found =
            mapper.best(leaf.einsum, leaf.question.extents, leaf.question.held, room, kind);
        if (found == nullptr) return "the mapper finds no nest";
        if (found->bound > best * (1.0 + kClose) + kClose) return "the mapper's bound is above the best nest";
        if (kind == ObjectiveKind::energy && found->bound < best * (1.0 - kClose) - kClose)
            return "the mapper has a better nest than the list";
    }
    return "";
}

int look_at(const Cases& cases, std::uint64_t most_nests, bool widths, std::uint64_t number, Tally& tally) {
    Random random(Random::split(cases.seed, number));
    ChainProblem problem = random_chain(random.next(), 3);
    if (widths) give_widths(problem, random.next());
    problem.architecture.memories[1].capacity_words = 1 << 20;
    std::string wrong;
    const std::vector<Constraints> demands = fusion::demands_of(problem.cascade, problem.architecture, {}, wrong);
    LeafNests lister(problem.cascade, problem.architecture, demands, most_nests);
    const int e = static_cast<int>(random.below(static_cast<std::uint64_t>(problem.cascade.einsum_count())));
    const Leaf leaf{problem.cascade, problem.architecture, demands, e,
                    random_question(problem.cascade.einsums[e].einsum, random)};
    const std::vector<fusion::LeafPoint> nests = lister.list(e, leaf.question);
    if (lister.is_too_much()) return 0;
    ++tally.compared;
    tally.nests += nests.size();
    tally.windows += has_windows(problem.cascade.einsums[e].einsum);
    std::string differ = below_corners(leaf, nests, tally);
    if (differ.empty()) differ = below_checker(leaf, nests);
    if (differ.empty()) differ = not_the_best(leaf, nests);
    if (differ.empty()) return 0;
    std::printf("--- problem %llu: %s: %s on", static_cast<unsigned long long>(number), differ.c_str(),
                to_text(problem.cascade.einsums[e].einsum).c_str());
    for (const std::int64_t extent : leaf.question.extents) std::printf(" %lld", static_cast<long long>(extent));
    std::printf(", held %x, resumed %lld\n", leaf.question.held.bits(), static_cast<long long>(leaf.question.resumed));
    return 1;
}

void print(const Tally& tally) {
    const auto shown = [](std::uint64_t count) { return static_cast<unsigned long long>(count); };
    std::printf(
        "%llu boxes compared, %llu with windows; %llu nests; %llu floors of energy and %llu of cycles are reached\n",
        shown(tally.compared), shown(tally.windows), shown(tally.nests), shown(tally.energy), shown(tally.cycles));
}

}  // namespace

int main(int argc, char** argv) try {
    Tally tally;
    std::int64_t nests = 20'000;
    bool widths = false;
    Harness harness("property_fused_leaves", "Floors of leaves against all their nests", {.count = 200});
    harness.line.option("--nests", &nests);
    harness.line.option("--widths", &widths, "tensors have widths of their own");
    harness.least("compared", "boxes that were compared", &tally.compared);
    harness.least("windows", "boxes with windows", &tally.windows);
    harness.least("energy", "floors of energy that a nest reaches", &tally.energy);
    harness.least("cycles", "floors of cycles that a nest reaches", &tally.cycles);
    if (const std::optional<int> status = harness.parse(argc, argv)) return *status;
    return harness.run(
        [&](std::uint64_t number) {
            return look_at(harness.cases(), static_cast<std::uint64_t>(nests), widths, number, tally);
        },
        [&] { print(tally); });
} catch (const std::exception& error) {
    std::fprintf(stderr, "property_fused_leaves: %s\n", error.what());
    return 2;
}
