#include "mapper/mapper.hpp"

#include <gtest/gtest.h>

#include "mapping/validity.hpp"
#include "model/model.hpp"
#include "workload/shapes.hpp"

namespace tilewright {
namespace {

Memory memory(std::string name, Mesh mesh, double energy_pj) {
    Memory m;
    m.name = std::move(name);
    m.mesh = mesh;
    m.instances = mesh.size();
    m.energy.read_pj.value = m.energy.fill_pj.value = m.energy.update_pj.value = energy_pj;
    return m;
}

Architecture small_machine() {
    Architecture a;
    a.memories = {memory("DRAM", {1, 1}, 200.0), memory("Buffer", {1, 1}, 6.0), memory("Registers", {4, 2}, 1.0)};
    a.memories[0].read_words_per_cycle = a.memories[0].write_words_per_cycle = 4.0;
    a.memories[1].capacity_words = 600;
    a.memories[2].capacity_words = 24;
    a.compute.mesh = {4, 2};
    a.compute.instances = 8;
    a.compute.energy_pj.value = 1.0;
    return a;
}

Budget quick() {
    Budget budget;
    budget.victory = 30'000;
    return budget;
}

struct Problem {
    Einsum einsum;
    Architecture architecture;
    Mapspace mapspace;
    LeanEvaluator evaluator;

    Problem(const Einsum& e, const Architecture& a, const Constraints& constraints = {},
            FactorRule rule = FactorRule::perfect)
        : einsum(e), architecture(a), mapspace(e, a, constraints, rule), evaluator(e, a) {}

    SearchResult search(const char* mapper, const Budget& budget, const Objective& objective = {}) const {
        return make_mapper(mapper)->search(mapspace, evaluator, objective, budget);
    }
};

class Mappers : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(All, Mappers, testing::Values("random", "hybrid"));

TEST_P(Mappers, TheBestMappingIsLegalAndCostsWhatTheySay) {
    const Problem problem(conv2d(16, 16, 8, 3), small_machine());
    for (const ObjectiveKind kind : {ObjectiveKind::energy, ObjectiveKind::latency, ObjectiveKind::edp}) {
        const SearchResult result = problem.search(GetParam(), quick(), {kind});
        ASSERT_TRUE(result.best);
        EXPECT_EQ(result.stopped, StopReason::victory);
        EXPECT_TRUE(problem.mapspace.contains(*result.best));
        const Mapping mapping = mapping_of(*result.best);
        ASSERT_TRUE(check(problem.einsum, problem.architecture, mapping).empty());
        const Evaluation full = evaluate(problem.einsum, problem.architecture, mapping);
        EXPECT_NEAR(result.cost.energy_pj, full.energy_pj, 1e-9 * full.energy_pj);
        EXPECT_EQ(result.cost.cycles, full.cycles);
    }
}

TEST_P(Mappers, UseRemaindersWhereTheyHelp) {
    const Einsum layer = conv2d(17, 13, 7, 1);  // nothing divides into 4 x 2 processors
    const auto best = [&](FactorRule rule) {
        const Problem problem(layer, small_machine(), {}, rule);
        Budget budget;
        budget.evaluations = 5'000;
        const SearchResult result = problem.search(GetParam(), budget);
        EXPECT_TRUE(result.best && problem.mapspace.contains(*result.best));
        const Mapping mapping = mapping_of(*result.best, layer).value();
        EXPECT_TRUE(check(layer, small_machine(), mapping).empty());
        const Evaluation full = evaluate(layer, small_machine(), mapping);
        EXPECT_NEAR(result.cost.energy_pj, full.energy_pj, 1e-9 * full.energy_pj);
        EXPECT_EQ(result.cost.cycles, full.cycles);
        return result.score.value;
    };
    EXPECT_LT(best(FactorRule::ruby_s), 0.8 * best(FactorRule::perfect));
    best(FactorRule::ruby);
    best(FactorRule::ruby_t);
}

TEST_P(Mappers, ThreadsDoNotChangeTheResult) {
    const Problem problem(conv2d(16, 32, 8, 3), small_machine());
    Budget budget = quick();
    budget.seed = 7;
    const SearchResult one = problem.search(GetParam(), budget);
    budget.threads = 5;
    const SearchResult five = problem.search(GetParam(), budget);
    ASSERT_TRUE(one.best && five.best);
    EXPECT_EQ(*one.best, *five.best);
    EXPECT_EQ(one.score, five.score);
    EXPECT_EQ(one.statistics.sampled, five.statistics.sampled);
    EXPECT_EQ(one.statistics.invalid, five.statistics.invalid);
    EXPECT_EQ(one.stopped, five.stopped);
}

TEST_P(Mappers, SpendsExactlyTheEvaluationsItIsGiven) {
    const Problem problem(conv2d(16, 16, 8, 3), small_machine());
    Budget budget;
    budget.threads = 3;
    for (const std::int64_t evaluations : {1, 10, 100, 1000, 12'345}) {
        budget.evaluations = evaluations;
        const SearchResult result = problem.search(GetParam(), budget);
        EXPECT_EQ(result.statistics.evaluations, evaluations);
        EXPECT_EQ(result.stopped, StopReason::evaluations);
        std::int64_t accounted = result.statistics.valid + result.statistics.dead_ends;
        for (const std::int64_t invalid : result.statistics.invalid) accounted += invalid;
        EXPECT_EQ(result.statistics.sampled, accounted);
    }
}

TEST_P(Mappers, GivesUpWhenNothingFits) {
    Architecture machine = small_machine();
    machine.memories[2].capacity_words = 2;
    Constraints constraints;
    constraints.levels.resize(3);
    constraints.levels[2].must_keep = TensorSet::all(3);
    Budget budget = quick();
    budget.fruitless = 50'000;
    const SearchResult result = Problem(conv2d(16, 16, 8, 3), machine, constraints).search(GetParam(), budget);
    EXPECT_FALSE(result.best);
    EXPECT_EQ(result.stopped, StopReason::fruitless);
    EXPECT_EQ(result.statistics.valid, 0);
}

TEST_P(Mappers, KeepsTheBestSoFarWhenStopped) {
    const Problem problem(conv2d(64, 64, 56, 3), small_machine());
    StopSource stop;
    Budget budget;
    budget.stop = &stop;
    budget.threads = 2;
    int reports = 0;
    const SearchResult result =
        make_mapper(GetParam())->search(problem.mapspace, problem.evaluator, {}, budget, [&](const Progress& progress) {
            ++reports;
            if (progress.statistics.valid > 1000) stop.request();
        });
    EXPECT_EQ(result.stopped, StopReason::interrupted);
    EXPECT_TRUE(result.best);
    EXPECT_GT(reports, 0);
}

TEST_P(Mappers, StopsWhenTheTimeIsUp) {
    Budget budget;
    budget.time = std::chrono::duration<double>(0.05);
    const SearchResult result = Problem(conv2d(64, 64, 56, 3), small_machine()).search(GetParam(), budget);
    EXPECT_EQ(result.stopped, StopReason::time);
    EXPECT_LT(result.statistics.seconds, 5.0);
}

TEST(HybridMapper, FindsTheOptimumOfASmallSpace) {
    Constraints constraints;
    constraints.levels.resize(3);
    for (LevelConstraint& level : constraints.levels) level.must_keep = TensorSet::all(3);
    Architecture machine = small_machine();
    machine.memories[1].capacity_words = 40;
    machine.memories[2].capacity_words = 8;
    const Problem problem(conv2d(4, 2, 2, 3), machine, constraints);
    Score optimum;
    problem.mapspace.enumerate([&](const PerfectPoint& point) {
        const LeanCost cost = problem.evaluator.evaluate(point);
        if (cost.valid()) optimum = std::min(optimum, Objective{}.score(cost.energy_pj, cost.cycles));
        return true;
    });
    ASSERT_LT(optimum, Score{});
    EXPECT_DOUBLE_EQ(problem.search("hybrid", quick()).score.value, optimum.value);
}

TEST(HybridMapper, FindsAWayIntoTightMemories) {
    Architecture machine = small_machine();
    machine.memories[1].capacity_words = 3;
    machine.memories[2].capacity_words = 3;
    Constraints constraints;
    constraints.levels.resize(3);
    for (LevelConstraint& level : constraints.levels) level.must_keep = TensorSet::all(3);
    Budget budget;
    budget.evaluations = 1;
    budget.fruitless = 5000;
    const Problem problem(conv2d(512, 512, 56, 3), machine, constraints);
    EXPECT_FALSE(problem.search("random", budget).best) << "a single word of each tensor is hard to hit";
    EXPECT_TRUE(problem.search("hybrid", budget).best);
}

TEST(Mapper, TellsWhenTheConstraintsLeaveNothing) {
    Constraints constraints;
    constraints.levels.resize(3);
    constraints.levels[0].temporal.factors = std::vector<FactorConstraint>(7);
    constraints.levels[0].temporal.factors[4].exactly = 5;
    const SearchResult result = Problem(conv2d(16, 16, 8, 3), small_machine(), constraints).search("random", quick());
    EXPECT_FALSE(result.best);
    EXPECT_EQ(result.stopped, StopReason::empty_mapspace);
}

TEST(Mapper, KnowsItsNames) {
    for (const std::string& name : mapper_names()) EXPECT_EQ(make_mapper(name)->name(), name);
    EXPECT_EQ(make_mapper("annealer"), nullptr);
}

}  // namespace
}  // namespace tilewright
