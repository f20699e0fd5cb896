#include "mapper/mapper.hpp"

#include <gtest/gtest.h>

#include "fixtures/small_machine.hpp"
#include "mapper/by_name/by_name.hpp"
#include "mapper/chunks.hpp"
#include "mapping/validity.hpp"
#include "model/exact/model.hpp"
#include "workload/einsum_text.hpp"
#include "workload/shapes.hpp"

namespace tilewright::mapper_test {
namespace {

using fixtures::small_machine;

Budget quick() {
    Budget budget;
    budget.victory = 30'000;
    return budget;
}

struct Problem {
    Einsum einsum;
    Architecture architecture;
    Constraints constraints;
    Mapspace mapspace;
    LeanEvaluator evaluator;

    Problem(const Einsum& e, const Architecture& a, const Constraints& c = {}, FactorRule rule = FactorRule::perfect)
        : einsum(e), architecture(a), constraints(c), mapspace(e, a, c, rule), evaluator(e, a) {}

    SearchResult search(const char* mapper, const Budget& budget, const Objective& objective = {}) const {
        return make_mapper(mapper)->search(mapspace, evaluator, objective, budget);
    }
};

// A result with windows and remainders: without closed form, walked by the exact model.
struct Walked : Problem {
    Walked()
        : Problem(parse_einsum("O[p+r,m] += I[p,c] * W[r,c,m]", {{"p", 7}, {"r", 3}, {"c", 5}, {"m", 9}}),
                  small_machine(), {}, FactorRule::ruby) {}
};

TEST(Stopping, CutsAnEvaluationThatTakesLongAndItsResultIsNoValue) {
    const Walked problem;
    StopSource stop;
    LeanScratch asked(&stop);
    stop.request();
    Random random(1);
    TilingPoint point = problem.mapspace.point();
    int cut = 0;
    int compared = 0;
    for (int i = 0; i < 400; ++i) {
        if (!problem.mapspace.sample(random, point)) continue;
        const LeanCost cost = problem.evaluator.evaluate(point);
        try {
            const LeanCost same = problem.evaluator.evaluate(point, asked);
            ++compared;
            EXPECT_EQ(same.violation, cost.violation);
            EXPECT_EQ(same.energy_pj, cost.energy_pj);
        } catch (const Stopped&) {
            ++cut;
            EXPECT_TRUE(cost.valid());
            EXPECT_THROW(
                evaluate(problem.einsum, problem.architecture, mapping_of(point, problem.einsum).value(), &stop),
                Stopped);
        }
    }
    EXPECT_GT(cut, 20);
    EXPECT_GT(compared, 20);
}

TEST(Stopping, AChunkForgetsTheMappingThatWasCut) {
    const Walked problem;
    StopSource stop;
    const Interrupt interrupt(&stop, std::nullopt);
    Chunk chunk(problem.mapspace, problem.evaluator, {{}, 1, 0, 1'000'000, {}}, interrupt);
    TilingPoint point = problem.mapspace.point();
    while (!chunk.best)
        if (problem.mapspace.sample(chunk.random, point)) chunk.propose(point);
    const SearchStatistics before = chunk.statistics;
    const Score best = chunk.best_score;
    stop.request();
    EXPECT_FALSE(chunk.propose(*chunk.best) < Score{}) << "a cut evaluation has no value";
    EXPECT_TRUE(chunk.over());
    EXPECT_EQ(chunk.statistics.sampled, before.sampled);
    EXPECT_EQ(chunk.statistics.valid, before.valid);
    EXPECT_EQ(chunk.best_score, best);
}

class Mappers : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(All, Mappers, testing::Values("random", "hybrid", "anneal", "genetic", "linear-pruned"));

TEST_P(Mappers, TheBestMappingIsLegalAndCostsWhatTheySay) {
    const Problem problem(conv2d(16, 16, 8, 3), small_machine());
    for (const ObjectiveKind kind : {ObjectiveKind::energy, ObjectiveKind::latency, ObjectiveKind::edp}) {
        const SearchResult result = problem.search(GetParam(), quick(), {kind});
        ASSERT_TRUE(result.best);
        EXPECT_EQ(result.stopped, StopReason::victory);
        EXPECT_TRUE(problem.mapspace.contains(result.best->point));
        const Mapping mapping = mapping_of(result.best->point);
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
        EXPECT_TRUE(result.best && problem.mapspace.contains(result.best->point));
        const Mapping mapping = mapping_of(result.best->point, layer).value();
        EXPECT_TRUE(check(layer, small_machine(), mapping).empty());
        const Evaluation full = evaluate(layer, small_machine(), mapping);
        EXPECT_NEAR(result.cost.energy_pj, full.energy_pj, 1e-9 * full.energy_pj);
        EXPECT_EQ(result.cost.cycles, full.cycles);
        return result.score.value;
    };
    const double with_remainders = best(FactorRule::ruby_s);
    const double without = best(FactorRule::perfect);
    if (GetParam() != std::string("linear-pruned")) {  // it never leaves the beginning of the space
        EXPECT_LT(with_remainders, 0.8 * without);
    }
    best(FactorRule::ruby);
    best(FactorRule::ruby_t);
}

TEST_P(Mappers, ThreadsDoNotChangeTheResult) {
    for (const FactorRule rule : {FactorRule::perfect, FactorRule::ruby_s}) {
        const Problem problem(conv2d(16, 30, 8, 3), small_machine(), {}, rule);
        for (const ObjectiveKind kind : {ObjectiveKind::edp, ObjectiveKind::pareto}) {
            Budget budget;
            budget.victory = 10'000;
            budget.seed = 7;
            const SearchResult one = problem.search(GetParam(), budget, {kind});
            budget.threads = 16;
            const SearchResult sixteen = problem.search(GetParam(), budget, {kind});
            ASSERT_TRUE(one.best && sixteen.best);
            EXPECT_EQ(*one.best, *sixteen.best);
            EXPECT_EQ(one.score, sixteen.score);
            ASSERT_EQ(one.front.size(), sixteen.front.size());
            for (std::size_t i = 0; i < one.front.size(); ++i)
                EXPECT_EQ(one.front[i].mapping, sixteen.front[i].mapping);
            EXPECT_EQ(one.statistics.sampled, sixteen.statistics.sampled);
            EXPECT_EQ(one.statistics.invalid, sixteen.statistics.invalid);
            EXPECT_EQ(one.stopped, sixteen.stopped);
        }
    }
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
}

TEST_P(Mappers, ObeyConstraintsAndChooseBypasses) {
    Constraints constraints;
    constraints.levels.resize(3);
    constraints.levels[1].must_bypass = TensorSet::from_bits(2);
    constraints.levels[2].must_keep = TensorSet::from_bits(4);
    constraints.levels[0].temporal.inner = {1};
    constraints.levels[1].spatial.factors.resize(7);
    constraints.levels[1].spatial.factors[0].at_most = 2;
    constraints.min_parallelism = 0.25;
    Budget budget;
    budget.evaluations = 5'000;
    for (const FactorRule rule : {FactorRule::perfect, FactorRule::ruby_s, FactorRule::ruby}) {
        const Problem problem(conv2d(6, 5, 4, 3), small_machine(), constraints, rule);
        const SearchResult result = problem.search(GetParam(), budget, {ObjectiveKind::energy});
        ASSERT_TRUE(result.best);
        EXPECT_TRUE(problem.mapspace.contains(result.best->point));
        EXPECT_FALSE(result.best->point[1].keep.has(1));
    }
}

TEST_P(Mappers, TellHowTheyGotBetter) {
    Budget budget;
    budget.evaluations = 3'000;
    const SearchResult result = Problem(conv2d(16, 16, 8, 3), small_machine()).search(GetParam(), budget);
    ASSERT_FALSE(result.improvements.empty());
    EXPECT_EQ(result.improvements.front().evaluations, 1) << "the first valid mapping is the best so far";
    EXPECT_EQ(result.improvements.back().score, result.score);
    for (std::size_t i = 1; i < result.improvements.size(); ++i) {
        EXPECT_LT(result.improvements[i].score, result.improvements[i - 1].score);
        EXPECT_GT(result.improvements[i].evaluations, result.improvements[i - 1].evaluations);
    }
    EXPECT_LE(result.improvements.back().evaluations, result.statistics.evaluations);
}

// Energies and latencies, by energy.
using Outline = std::vector<std::pair<double, std::int64_t>>;

Outline outline(const std::vector<FrontPoint>& front) {
    Outline outline;
    for (const FrontPoint& point : front) outline.emplace_back(point.cost.energy_pj, point.cost.cycles);
    return outline;
}

TEST_P(Mappers, KeepWhatNothingElseBeats) {
    const Problem problem(conv2d(16, 16, 8, 3), small_machine());
    Budget budget = quick();
    const SearchResult one = problem.search(GetParam(), budget, {ObjectiveKind::pareto});
    ASSERT_FALSE(one.front.empty());
    bool best_is_on_it = false;
    for (std::size_t i = 0; i < one.front.size(); ++i) {
        const FrontPoint& here = one.front[i];
        const LeanCost cost = problem.evaluator.evaluate(here.mapping.point);
        EXPECT_EQ(cost.energy_pj, here.cost.energy_pj);
        EXPECT_EQ(cost.cycles, here.cost.cycles);
        EXPECT_GE(cost.edp_pj_cycles(), one.cost.edp_pj_cycles());
        best_is_on_it = best_is_on_it || here.mapping == *one.best;
        if (i == 0) continue;
        EXPECT_GT(here.cost.energy_pj, one.front[i - 1].cost.energy_pj);
        EXPECT_LT(here.cost.cycles, one.front[i - 1].cost.cycles);
    }
    EXPECT_TRUE(best_is_on_it);
    budget.threads = 4;
    const SearchResult four = problem.search(GetParam(), budget, {ObjectiveKind::pareto});
    EXPECT_EQ(outline(one.front), outline(four.front));
    EXPECT_EQ(one.statistics.sampled, four.statistics.sampled);
}

// Small enough to enumerate.
Problem tiny_problem(FactorRule rule = FactorRule::perfect) {
    Constraints constraints;
    constraints.levels.resize(3);
    for (LevelConstraint& level : constraints.levels) level.must_keep = TensorSet::all(3);
    Architecture machine = small_machine();
    machine.memories[1].capacity_words = 40;
    machine.memories[2].capacity_words = 8;
    if (rule == FactorRule::perfect) return {conv2d(4, 2, 2, 3), machine, constraints, rule};
    constraints.levels[2].must_keep = TensorSet::from_bits(1);
    return {conv2d(3, 5, 1, 1), machine, constraints, rule};
}

struct BruteForce {
    std::int64_t mappings = 0;
    std::int64_t valid = 0;
    Score optimum;
    Front front;
};

BruteForce brute_force(const Problem& problem, const Objective& objective = {}) {
    BruteForce all;
    problem.mapspace.enumerate([&](const TilingPoint& point) {
        ++all.mappings;
        const LeanCost cost = problem.evaluator.evaluate(point);
        if (!cost.valid()) return true;
        ++all.valid;
        all.optimum = std::min(all.optimum, objective.score(cost.energy_pj, cost.cycles));
        all.front.offer({point}, cost, 0);
        return true;
    });
    return all;
}

class GoodMappers : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(All, GoodMappers, testing::Values("hybrid", "anneal", "genetic"));

TEST_P(GoodMappers, FindTheOptimumOfASmallSpace) {
    for (const FactorRule rule : {FactorRule::perfect, FactorRule::ruby}) {
        const Problem problem = tiny_problem(rule);
        const Score optimum = brute_force(problem).optimum;
        ASSERT_LT(optimum, Score{});
        EXPECT_DOUBLE_EQ(problem.search(GetParam(), quick()).score.value, optimum.value);
    }
}

class Exhaustive : public testing::TestWithParam<FactorRule> {};
INSTANTIATE_TEST_SUITE_P(Rules, Exhaustive,
                         testing::Values(FactorRule::perfect, FactorRule::ruby, FactorRule::ruby_s,
                                         FactorRule::ruby_t));

TEST_P(Exhaustive, SeesEveryMappingOnce) {
    const Problem problem = tiny_problem(GetParam());
    const BruteForce expected = brute_force(problem);
    for (const int threads : {1, 5}) {
        Budget budget;
        budget.threads = threads;
        budget.victory = budget.fruitless = 1;  // neither ends it
        const SearchResult found = problem.search("exhaustive", budget);
        EXPECT_EQ(found.stopped, StopReason::exhausted);
        EXPECT_EQ(found.space, static_cast<double>(expected.mappings));
        EXPECT_EQ(found.statistics.sampled, expected.mappings);
        EXPECT_EQ(found.statistics.valid, expected.valid);
        EXPECT_EQ(found.score, expected.optimum);
    }
}

// With wire energy a mapping with remainders is costed without wires first, and no further if that is too much.
TEST_P(Exhaustive, FindsTheOptimumWhereWiresCostEnergy) {
    const Problem free = tiny_problem(GetParam());
    Architecture wired = free.architecture;
    for (Memory& memory : wired.memories) memory.link.energy_per_hop_pj = 25.0;
    const Problem problem(free.einsum, wired, free.constraints, GetParam());
    const BruteForce expected = brute_force(problem);
    Budget budget = quick();
    budget.victory *= 3;  // wires distinguish more mappings
    const SearchResult all = problem.search("exhaustive", {});
    EXPECT_EQ(all.score.value, expected.optimum.value);
    EXPECT_EQ(all.statistics.valid, expected.valid);
    for (const char* mapper : {"random", "hybrid", "anneal", "linear-pruned"}) {
        const SearchResult found = problem.search(mapper, budget);
        EXPECT_EQ(found.score.value, expected.optimum.value) << mapper;
    }
}

TEST_P(Exhaustive, FindsTheWholeFront) {
    const Problem problem = tiny_problem(GetParam());
    const SearchResult found = problem.search("exhaustive", {}, {ObjectiveKind::pareto});
    if (GetParam() == FactorRule::perfect) {
        EXPECT_GT(found.front.size(), 1U);
    }
    EXPECT_EQ(outline(found.front), outline(brute_force(problem).front.points()));
}

TEST(ExhaustiveMapper, SpendsExactlyTheEvaluationsItIsGiven) {
    Budget budget;
    budget.evaluations = 777;
    budget.threads = 3;
    const SearchResult result = tiny_problem().search("exhaustive", budget);
    EXPECT_EQ(result.statistics.evaluations, 777);
    EXPECT_EQ(result.stopped, StopReason::evaluations);
}

TEST(ExhaustiveMapper, RefusesALargeSpaceUnlessToldOtherwise) {
    const Problem problem(conv2d(16, 16, 8, 3), small_machine());
    Budget budget;
    budget.evaluations = 1000;
    const SearchResult refused = problem.search("exhaustive", budget);
    EXPECT_EQ(refused.stopped, StopReason::too_large);
    EXPECT_GT(refused.space.value(), 1e8);
    EXPECT_FALSE(refused.best);
    budget.largest_space = 0;
    StopSource stop;  // counting 10^13 mappings takes too long
    stop.request();
    budget.stop = &stop;
    EXPECT_EQ(problem.search("exhaustive", budget).stopped, StopReason::interrupted);
}

TEST(Chunks, WorkThatIsNoLongerDealtWhenSomebodyStopsIsNotFinished) {
    const Problem problem = tiny_problem();
    StopSource stop;
    Budget budget;
    budget.stop = &stop;
    const Work work{[](Chunk&) {},
                    [&stop](std::vector<Block>&, const Interrupt&) {
                        stop.request();  // after the last chunk able to notice
                        return false;
                    }};
    const SearchResult result = search_in_chunks(problem.mapspace, problem.evaluator, {}, budget, {}, work);
    EXPECT_EQ(result.stopped, StopReason::interrupted);
}

TEST(ExhaustiveMapper, SaysHowLargeTheSpaceIs) {
    const Problem problem = tiny_problem();
    double size = 0;
    make_mapper("exhaustive")->search(problem.mapspace, problem.evaluator, {}, {}, [&](const Progress& now) {
        size = now.space.value();
    });
    EXPECT_EQ(size, static_cast<double>(brute_force(problem).mappings));
}

TEST(LinearPrunedMapper, SeesEveryValidMapping) {
    for (const FactorRule rule : {FactorRule::perfect, FactorRule::ruby}) {
        const Problem problem = tiny_problem(rule);
        const BruteForce expected = brute_force(problem);
        const SearchResult found = problem.search("linear-pruned", {});
        EXPECT_EQ(found.stopped, StopReason::exhausted);
        EXPECT_EQ(found.statistics.valid, expected.valid);
        EXPECT_LT(found.statistics.sampled, expected.mappings);
        EXPECT_EQ(found.score, expected.optimum);
    }
}

TEST(HybridMapper, FindsNothingWorseWhereRemaindersAreAllowed) {
    for (const Einsum& einsum : {conv2d(16, 16, 8, 3), conv2d(13, 7, 11, 1), conv2d(24, 8, 6, 3)}) {
        const Score even = Problem(einsum, small_machine()).search("hybrid", quick()).score;
        for (const FactorRule rule : {FactorRule::ruby_s, FactorRule::ruby_t, FactorRule::ruby})
            EXPECT_FALSE(even < Problem(einsum, small_machine(), {}, rule).search("hybrid", quick()).score)
                << name_of(rule);
    }
}

TEST(LocalSearches, FindAWayIntoTightMemories) {
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
    for (const char* mapper : {"hybrid", "anneal", "genetic", "linear-pruned"})
        EXPECT_TRUE(problem.search(mapper, budget).best) << mapper;
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
}  // namespace tilewright::mapper_test
