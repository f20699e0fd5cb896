#include "mapper/padded.hpp"

#include <gtest/gtest.h>

#include "fixtures/small_machine.hpp"
#include "mapper/by_name/by_name.hpp"
#include "mapper/mapper.hpp"
#include "mapspace/constraints.hpp"
#include "workload/shapes.hpp"

namespace tilewright::padded_test {
namespace {

// Nothing of 7 and 5 divides over 3 x 2 units.
Architecture uneven_machine() {
    Architecture a;
    a.memories = {fixtures::memory("DRAM", {1, 1}, 20.0), fixtures::memory("Registers", {3, 2}, 1.0)};
    a.memories[1].capacity_words = 40;
    a.compute.mesh = {3, 2};
    a.compute.instances = 6;
    a.compute.energy_pj.value = 1.0;
    return a;
}

class Padded : public testing::Test {
   protected:
    SearchResult solve(const Einsum& einsum, const Budget& budget, const char* mapper, const Objective& objective) {
        return make_mapper(mapper)->search(Mapspace(einsum, machine_, {}), LeanEvaluator(einsum, machine_), objective,
                                           budget);
    }

    PaddedResult solve_all(const char* mapper, ObjectiveKind kind, const Budget& budget = {}) {
        return search_paddings(einsums_, {kind}, budget, [&](const Einsum& einsum, const Budget& share, const auto&) {
            return solve(einsum, share, mapper, {kind});
        });
    }

    const Architecture machine_ = uneven_machine();
    const Einsum layer_ = gemm(7, 4, 5);
    const std::vector<Einsum> einsums_ = paddings(layer_, machine_, {});
};

TEST_F(Padded, TheBestIsTheBestOfAllPaddings) {
    ASSERT_GT(einsums_.size(), 3U);
    for (const ObjectiveKind kind : {ObjectiveKind::energy, ObjectiveKind::latency, ObjectiveKind::edp}) {
        Score best;
        Einsum einsum;
        for (const Einsum& candidate : einsums_) {
            const Score score = solve(candidate, {}, "exhaustive", {kind}).score;
            if (score < best) einsum = candidate;
            best = std::min(best, score);
        }
        const PaddedResult found = solve_all("exhaustive", kind);
        EXPECT_EQ(found.result.score, best);
        EXPECT_EQ(found.einsum, einsum);
        const PaddedResult proven = solve_all("optimal", kind);
        EXPECT_EQ(proven.result.stopped, StopReason::proven);
        EXPECT_NEAR(proven.result.score.value, best.value, 1e-9 * best.value);
    }
    EXPECT_NE(solve_all("optimal", ObjectiveKind::latency).einsum, layer_) << "padding fills the units";
    EXPECT_EQ(solve_all("optimal", ObjectiveKind::energy).einsum, layer_) << "and costs energy";
}

TEST_F(Padded, TheFrontIsTheFrontOfAllPaddings) {
    Front front;
    for (const Einsum& candidate : einsums_)
        for (const FrontPoint& point : solve(candidate, {}, "exhaustive", {ObjectiveKind::pareto}).front)
            front.offer(point.mapping, point.cost, 0);
    for (const char* mapper : {"exhaustive", "optimal"}) {
        const PaddedResult found = solve_all(mapper, ObjectiveKind::pareto);
        ASSERT_EQ(found.result.front.size(), front.points().size());
        ASSERT_EQ(found.front_einsums.size(), front.points().size());
        for (std::size_t i = 0; i < front.points().size(); ++i) {
            const LeanCost& cost = found.result.front[i].cost;
            EXPECT_NEAR(cost.energy_pj, front.points()[i].cost.energy_pj, 1e-6);
            EXPECT_EQ(cost.cycles, front.points()[i].cost.cycles);
            const LeanEvaluator evaluator(found.front_einsums[i], machine_);
            EXPECT_EQ(evaluator.evaluate(found.result.front[i].mapping.point).cycles, cost.cycles);
        }
    }
}

TEST_F(Padded, EvaluationsAreSpentExactly) {
    Budget budget;
    budget.evaluations = 1003;
    const PaddedResult found = solve_all("hybrid", ObjectiveKind::edp, budget);
    EXPECT_EQ(found.result.statistics.evaluations, 1003);
    EXPECT_EQ(found.result.stopped, StopReason::evaluations);
}

TEST_F(Padded, WhatWasCutShortIsNotProven) {
    StopSource stop;
    stop.request();
    Budget budget;
    budget.stop = &stop;
    const PaddedResult found = solve_all("optimal", ObjectiveKind::edp, budget);
    EXPECT_EQ(found.result.stopped, StopReason::interrupted);
    EXPECT_FALSE(found.result.lower_bound && *found.result.lower_bound >= found.result.score.value);
}

TEST_F(Padded, ThatOneWasProvenSaysNothingOfOthersThatWereNotSearched) {
    for (const char* mapper : {"optimal", "exhaustive"}) {
        StopSource stop;
        Budget budget;
        budget.stop = &stop;
        const PaddedResult found =
            search_paddings(einsums_, {}, budget, [&](const Einsum& einsum, const Budget&, const auto&) {
                const SearchResult one = solve(einsum, {}, mapper, {});
                EXPECT_TRUE(is_proven(one));
                stop.request();
                return one;
            });
        EXPECT_EQ(found.result.stopped, StopReason::interrupted);
        EXPECT_FALSE(is_proven(found.result));
        EXPECT_FALSE(found.result.lower_bound);
    }
}

TEST_F(Padded, TheWholeIsNoBetterProvenThanItsWeakestPart) {
    for (const bool last : {false, true}) {
        const PaddedResult found =
            search_paddings(einsums_, {}, {}, [&](const Einsum& einsum, const Budget&, const auto&) {
                Budget some;
                some.evaluations = 5;
                const bool weak = einsum == (last ? einsums_.back() : einsums_.front());
                return solve(einsum, weak ? some : Budget{}, "exhaustive", {});
            });
        EXPECT_EQ(found.result.stopped, StopReason::evaluations);
        EXPECT_FALSE(is_proven(found.result));
    }
}

}  // namespace
}  // namespace tilewright::padded_test
