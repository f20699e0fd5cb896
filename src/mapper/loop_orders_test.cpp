#include "mapper/loop_orders.hpp"

#include <gmock/gmock.h>

#include "mapper/by_name/by_name.hpp"
#include "mapping/validity.hpp"
#include "model/exact/model.hpp"
#include "workload/shapes.hpp"

namespace tilewright::loop_orders_test {
namespace {

using Strategy = LoopOrderMapper::Strategy;

// DRAM, a buffer for inputs and results, and registers for weights and for results in each of 4 x 2 units.
struct RowOfBuffers {
    Einsum layer = conv2d(16, 16, 8, 3);
    Architecture machine;
    Constraints constraints;

    RowOfBuffers() {
        const auto add = [&](const char* name, Mesh mesh, std::optional<std::int64_t> words, double pj) {
            Memory memory;
            memory.name = name;
            memory.mesh = mesh;
            memory.instances = mesh.size();
            memory.capacity_words = words;
            memory.energy.read_pj.value = memory.energy.fill_pj.value = memory.energy.update_pj.value = pj;
            machine.memories.push_back(memory);
        };
        add("DRAM", {1, 1}, std::nullopt, 200.0);
        add("Buffer", {1, 1}, 600, 6.0);
        add("Weights", {4, 2}, 24, 1.0);
        add("Results", {4, 2}, 4, 1.0);
        machine.compute.mesh = {4, 2};
        machine.compute.instances = 8;
        machine.compute.energy_pj.value = 1.0;
        constraints.levels.resize(4);
        keep_only(1, {"Inputs", "Outputs"});
        keep_only(2, {"Weights"});
        keep_only(3, {"Outputs"});
    }

    void keep_only(int level, const std::vector<std::string>& names) {
        for (int t = 0; t < layer.tensor_count(); ++t) {
            const bool kept = std::find(names.begin(), names.end(), layer.tensors[t].name) != names.end();
            (kept ? constraints.levels[level].must_keep : constraints.levels[level].must_bypass).add(t);
        }
    }

    Mapspace space() const { return {layer, machine, constraints}; }

    SearchResult search(Strategy strategy, const LoopOrderMapper::Options& options = {}, const Budget& budget = {},
                        ObjectiveKind objective = ObjectiveKind::edp) const {
        return LoopOrderMapper(strategy, options)
            .search(space(), LeanEvaluator(layer, machine), Objective{objective}, budget);
    }
};

class LoopOrders : public testing::TestWithParam<Strategy> {};
INSTANTIATE_TEST_SUITE_P(Both, LoopOrders, testing::Values(Strategy::loma, Strategy::salsa),
                         [](const auto& one) { return one.param == Strategy::loma ? "loma" : "salsa"; });

TEST_P(LoopOrders, TheAnswerIsLegalAndCostsWhatTheExactModelSays) {
    const RowOfBuffers at;
    for (const ObjectiveKind kind : {ObjectiveKind::energy, ObjectiveKind::latency, ObjectiveKind::edp}) {
        const SearchResult found = at.search(GetParam(), {}, {}, kind);
        ASSERT_TRUE(found.best);
        EXPECT_TRUE(at.space().contains(found.best->point));
        const Mapping mapping = mapping_of(found.best->point);
        EXPECT_TRUE(check(at.layer, at.machine, mapping).empty());
        const Evaluation full = evaluate(at.layer, at.machine, mapping);
        EXPECT_NEAR(found.cost.energy_pj, full.energy_pj, 1e-9 * full.energy_pj);
        EXPECT_EQ(found.cost.cycles, full.cycles);
    }
}

TEST_P(LoopOrders, NoMappingIsBetterThanTheProvenOne) {
    const RowOfBuffers at;
    const SearchResult best = make_mapper("optimal")->search(at.space(), LeanEvaluator(at.layer, at.machine), {}, {});
    const SearchResult found = at.search(GetParam());
    ASSERT_TRUE(best.best && found.best);
    EXPECT_GE(found.score.value, best.score.value * (1.0 - 1e-12));
    EXPECT_LT(found.score.value, best.score.value * 2.0) << "nor is it far from it";
}

TEST_P(LoopOrders, FillTheMemoriesFromTheInnermostOutwards) {
    const RowOfBuffers at;
    const SearchResult found = at.search(GetParam());
    ASSERT_TRUE(found.best);
    const TilingPoint& point = found.best->point;
    for (int d = 0; d < point.dimension_count(); ++d) EXPECT_EQ(point[0].spatial[d], 1);
    // No factor of the loop just outside a memory would still fit there.
    const LeanEvaluator evaluator(at.layer, at.machine);
    for (int level = 1; level + 1 < point.level_count(); ++level) {
        const int outer = level - 1;
        for (int i = 0; i < point.dimension_count(); ++i) {
            const int d = point[outer].order[i];
            if (point[outer].temporal[d] == 1) continue;
            TilingPoint larger = point;
            larger[level].temporal[d] *= point[outer].temporal[d];
            larger[outer].temporal[d] = 1;
            EXPECT_EQ(evaluator.violation(larger), std::optional(ViolationKind::capacity)) << "level " << level;
            break;
        }
    }
}

TEST_P(LoopOrders, ThreadsDoNotChangeTheAnswer) {
    const RowOfBuffers at;
    Budget budget;
    const SearchResult one = at.search(GetParam(), {}, budget);
    budget.threads = 4;
    const SearchResult four = at.search(GetParam(), {}, budget);
    ASSERT_TRUE(one.best && four.best);
    EXPECT_EQ(*one.best, *four.best);
    EXPECT_EQ(one.statistics.sampled, four.statistics.sampled);
}

TEST_P(LoopOrders, DealOutTheFactorsThatConstraintsPrescribe) {
    RowOfBuffers at;
    const int k = find_dimension(at.layer, "K");
    auto& factors = at.constraints.levels[2].temporal.factors;
    factors.resize(static_cast<std::size_t>(at.layer.dimension_count()));
    factors[k].exactly = 2;
    const SearchResult found = at.search(GetParam());
    ASSERT_TRUE(found.best);
    EXPECT_EQ(found.best->point[2].temporal[k], 2);
}

TEST(LoopOrdersLoma, SeesEveryOrderOfItsFactors) {
    RowOfBuffers at;
    at.layer = conv2d(16, 16, 8, 1);
    at.constraints = {};
    LoopOrderMapper::Options options;
    options.spatial_choices = 1;
    const SearchResult found = at.search(Strategy::loma, options);
    // K and C are spread over 4 x 2 units; of the rest, 2 x 8 x 8 x 8 or the like, six factors are ordered.
    EXPECT_EQ(found.stopped, StopReason::finished);
    EXPECT_FALSE(is_proven(found)) << "not every mapping is such an order";
    EXPECT_GT(found.statistics.sampled, 24);
    EXPECT_LE(found.statistics.sampled, 720);
}

TEST(LoopOrdersSalsa, MakesSoManyStepsInEveryChain) {
    const RowOfBuffers at;
    LoopOrderMapper::Options options;
    options.spatial_choices = 1;
    options.chains = 2;
    options.iterations = 300;
    EXPECT_EQ(at.search(Strategy::salsa, options).statistics.sampled, 2 * 301);
}

TEST(LoopOrdersLoma, RefusesMoreOrdersThanItMayVisit) {
    Budget budget;
    budget.largest_space = 10;
    EXPECT_EQ(RowOfBuffers().search(Strategy::loma, {}, budget).stopped, StopReason::too_large);
}

TEST(LoopOrdersSalsa, RemaindersAreRefusedInWords) {
    const RowOfBuffers at;
    const Mapspace space(at.layer, at.machine, at.constraints, FactorRule::ruby_s);
    const SearchResult found =
        LoopOrderMapper(Strategy::salsa).search(space, LeanEvaluator(at.layer, at.machine), {}, {});
    EXPECT_FALSE(found.best);
    EXPECT_THAT(found.remark, testing::HasSubstr("salsa orders perfect factors only"));
}

TEST(SpatialChoices, UseAllUnitsWhereTheyCan) {
    const RowOfBuffers at;
    const std::vector<TilingPoint> choices = best_spatial_choices(at.space(), 3);
    ASSERT_EQ(choices.size(), 3U);
    for (const TilingPoint& point : choices) {
        int units = 1;
        for (int d = 0; d < point.dimension_count(); ++d) units *= point[1].spatial[d];
        EXPECT_EQ(units, 8);
    }
    EXPECT_FALSE(choices[0] == choices[1]);
}

}  // namespace
}  // namespace tilewright::loop_orders_test
