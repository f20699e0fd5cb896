// Results with a dimension moving two axes: first words lie along slanted lines.
#include "certificate/perfect/arrivals.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "certificate/prove/prove.hpp"
#include "fixtures/small_machine.hpp"
#include "model/lean/lean.hpp"
#include "workload/einsum_text.hpp"

namespace tilewright::certificate::arrivals_test {
namespace {

Architecture machine(bool throttled) {
    Architecture a = fixtures::small_machine();
    a.memories[1].capacity_words = 24;
    a.memories[2].capacity_words = 6;
    if (throttled) a.memories[0].shared_words_per_cycle = 0.5;
    return a;
}

Constraints constraints(const Einsum& einsum) {
    Constraints constraints;
    constraints.levels.resize(3);
    constraints.levels[0].must_keep = constraints.levels[1].must_keep = TensorSet::all(einsum.tensor_count());
    constraints.levels[2].must_keep = TensorSet::of(einsum.tensor_count() - 1);
    return constraints;
}

/// The cost of every mapping, best first.
std::vector<Cost> all_of(const Einsum& einsum, const Architecture& machine, const Mapspace& mapspace,
                         const Objective& objective) {
    const LeanEvaluator evaluator(einsum, machine);
    std::vector<Cost> all;
    mapspace.enumerate([&](const TilingPoint& point) {
        const LeanCost cost = evaluator.evaluate(point);
        if (cost.valid()) all.push_back({cost.energy_pj, static_cast<double>(cost.cycles)});
        return true;
    });
    const auto score = [&](const Cost& cost) { return objective.score(cost.energy_pj, cost.cycles); };
    std::ranges::sort(all, [&](const Cost& a, const Cost& b) { return score(a) < score(b); });
    return all;
}

void expect_the_best_alone_is_confirmed(const Einsum& einsum, const Architecture& machine) {
    const Mapspace mapspace(einsum, machine, constraints(einsum));
    for (const ObjectiveKind kind : {ObjectiveKind::energy, ObjectiveKind::latency, ObjectiveKind::edp}) {
        const Objective objective{kind};
        const std::vector<Cost> all = all_of(einsum, machine, mapspace, objective);
        ASSERT_GT(all.size(), 100U);
        const Cost best = all.front();
        const auto is_confirmed = [&](const Cost& cost) {
            return prove(einsum, machine, mapspace, Goal::optimal(objective, cost), Storage::even).doubts.empty();
        };
        EXPECT_TRUE(is_confirmed(best)) << to_text(einsum);
        EXPECT_FALSE(is_confirmed({best.energy_pj * (1.0 + 1e-6), best.cycles})) << to_text(einsum);
        const double value = objective.score(best.energy_pj, best.cycles).value;
        const auto worse = std::ranges::find_if(all, [&](const Cost& cost) {
            return objective.score(cost.energy_pj, cost.cycles).value > value * (1.0 + 1e-6);
        });
        ASSERT_NE(worse, all.end());
        EXPECT_FALSE(is_confirmed(*worse)) << to_text(einsum);
    }
}

TEST(Arrivals, OfAResultThatADimensionMovesTwiceAreCounted) {
    for (const char* text : {"O[a + b, b + a] += P[a, c] * Q[b]", "O[a, a + b] += P[a, c] * Q[b]",
                             "O[b - c, 2 * a + b] += P[a, c] * Q[b]"})
        for (const bool throttled : {false, true})
            expect_the_best_alone_is_confirmed(parse_einsum(text, {{"a", 2}, {"b", 4}, {"c", 2}}), machine(throttled));
}

// 30 x 30 words on 530 x 530: on a machine of one memory every mapping costs the same.
TEST(Arrivals, OfTooManyWordsAreLeftInDoubt) {
    Architecture one = fixtures::small_machine();
    one.memories.resize(1);
    one.compute.instances = 1;
    one.compute.mesh = {1, 1};
    const auto proof_of = [&](std::int64_t extent) {
        const Einsum einsum =
            parse_einsum("O[100 * a + 100 * b, a + b] += P[a] * Q[b]", {{"a", extent}, {"b", extent}});
        const Mapspace mapspace(einsum, one, {});
        const Cost cost = all_of(einsum, one, mapspace, {}).front();
        return prove(einsum, one, mapspace, Goal::optimal({}, cost), Storage::even);
    };
    EXPECT_TRUE(proof_of(8).doubts.empty());
    EXPECT_FALSE(proof_of(8).overlapping_results);
    EXPECT_FALSE(proof_of(30).doubts.empty());
    EXPECT_TRUE(proof_of(30).overlapping_results);
}

}  // namespace
}  // namespace tilewright::certificate::arrivals_test
