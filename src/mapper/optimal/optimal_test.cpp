#include "mapper/optimal/optimal.hpp"

#include <gtest/gtest.h>

#include "fixtures/small_machine.hpp"
#include "mapper/by_name/by_name.hpp"
#include "mapper/strategies/exhaustive.hpp"
#include "workload/shapes.hpp"

namespace tilewright::optimal_test {
namespace {

using fixtures::small_machine;

// Every memory keeps all tensors, but inputs bypass the registers.
Constraints fixed_keeps() {
    Constraints constraints;
    constraints.levels.resize(3);
    constraints.levels[1].must_keep = TensorSet::all(3);
    constraints.levels[2].must_keep = TensorSet::from_bits(0b101);
    constraints.levels[2].must_bypass = TensorSet::of(1);
    return constraints;
}

struct Problem {
    Mapspace mapspace;
    LeanEvaluator evaluator;

    Problem(const Einsum& e, const Architecture& a) : mapspace(e, a, fixed_keeps()), evaluator(e, a) {}

    SearchResult solve(ObjectiveKind kind, const Budget& budget = {}) const {
        return OptimalMapper().search(mapspace, evaluator, {kind}, budget, {});
    }
};

TEST(Optimal, IsQuickWithoutRemaindersOrWithFewToChooseFrom) {
    const Einsum layer = conv2d(64, 64, 56, 3);
    const auto is_quick = [&layer](FactorRule rule, Mesh mesh) {
        return OptimalMapper::is_quick(Mapspace(layer, small_machine(mesh), fixed_keeps(), rule));
    };
    EXPECT_TRUE(is_quick(FactorRule::perfect, {256, 256}));
    EXPECT_TRUE(is_quick(FactorRule::ruby_s, {4, 2}));
    EXPECT_FALSE(is_quick(FactorRule::ruby_s, {256, 256}));
    EXPECT_FALSE(is_quick(FactorRule::ruby, {4, 2}));
}

TEST(Optimal, AProofIsABoundThatIsMet) {
    const Problem problem(conv2d(16, 16, 8, 3), small_machine());
    for (const ObjectiveKind kind : {ObjectiveKind::energy, ObjectiveKind::latency, ObjectiveKind::edp}) {
        const SearchResult result = problem.solve(kind);
        ASSERT_TRUE(result.best);
        EXPECT_EQ(result.stopped, StopReason::proven);
        EXPECT_EQ(result.lower_bound, result.score.value);
        EXPECT_TRUE(problem.mapspace.contains(result.best->point));
    }
}

TEST(Optimal, HybridNeverBeatsIt) {
    const Problem problem(conv2d(12, 10, 14, 3), small_machine());
    Budget budget;
    budget.evaluations = 20'000;
    for (const ObjectiveKind kind : {ObjectiveKind::energy, ObjectiveKind::latency, ObjectiveKind::edp}) {
        const SearchResult found =
            make_mapper("hybrid")->search(problem.mapspace, problem.evaluator, {kind}, budget, {});
        EXPECT_LE(problem.solve(kind).score.value, found.score.value * (1 + 1e-12));
    }
}

TEST(Optimal, AnyNumberOfThreadsFindsTheSameMapping) {
    const Problem problem(conv2d(16, 16, 8, 3), small_machine());
    Budget many;
    many.threads = 16;
    for (const ObjectiveKind kind : {ObjectiveKind::energy, ObjectiveKind::edp, ObjectiveKind::pareto}) {
        const SearchResult one = problem.solve(kind);
        const SearchResult other = problem.solve(kind, many);
        EXPECT_TRUE(one.best == other.best);
        EXPECT_EQ(one.front.size(), other.front.size());
    }
}

TEST(Optimal, TheFrontHoldsTheBestOfEveryObjective) {
    const Problem problem(conv2d(16, 16, 8, 3), small_machine());
    const SearchResult front = problem.solve(ObjectiveKind::pareto);
    ASSERT_FALSE(front.front.empty());
    EXPECT_NEAR(front.front.front().cost.energy_pj, problem.solve(ObjectiveKind::energy).cost.energy_pj, 1e-3);
    EXPECT_EQ(front.front.back().cost.cycles, problem.solve(ObjectiveKind::latency).cost.cycles);
    EXPECT_DOUBLE_EQ(front.score.value, problem.solve(ObjectiveKind::edp).score.value);
}

TEST(Optimal, WhenStoppedItTellsTheBestAndABound) {
    const Problem problem(conv2d(32, 32, 28, 3), small_machine());
    StopSource stop;
    Budget budget;
    budget.stop = &stop;
    std::optional<double> told;
    const SearchResult result = OptimalMapper().search(problem.mapspace, problem.evaluator, {ObjectiveKind::energy},
                                                       budget, [&](const Progress& progress) {
                                                           told = progress.lower_bound;
                                                           stop.request();
                                                       });
    const SearchResult whole = problem.solve(ObjectiveKind::energy);
    ASSERT_TRUE(result.best && result.lower_bound && told);
    EXPECT_EQ(result.stopped, StopReason::interrupted);
    EXPECT_LE(*result.lower_bound, whole.score.value);
    EXPECT_GE(result.score.value, whole.score.value);
}

// Effort is counted in steps: the end does not depend on threads, and the rest is bounded.
TEST(Optimal, OutOfStepsItTellsTheBestAndABound) {
    const Einsum layer = conv2d(6, 8, 4, 3);
    bool any_is_cut = false;
    for (const FactorRule rule : {FactorRule::perfect, FactorRule::ruby_s}) {
        const Architecture machine = small_machine();
        const Mapspace mapspace(layer, machine, fixed_keeps(), rule);
        const LeanEvaluator evaluator(layer, machine);
        const auto search = [&](std::int64_t steps, int threads) {
            Budget budget;
            budget.threads = threads;
            OptimalMapper::Options options;
            options.steps = steps;
            return OptimalMapper(options).search(mapspace, evaluator, {ObjectiveKind::energy}, budget, {});
        };
        const SearchResult whole = search(OptimalMapper::Options().steps, 1);
        ASSERT_EQ(whole.stopped, StopReason::proven);
        double bound = 0.0;
        for (const std::int64_t steps : {1, 100, 1'000}) {
            const SearchResult cut = search(steps, 1);
            ASSERT_TRUE(cut.best && cut.lower_bound) << steps;
            EXPECT_LE(*cut.lower_bound, whole.score.value) << steps;
            EXPECT_GE(cut.score.value, whole.score.value) << steps;
            bound = *cut.lower_bound;
            const SearchResult again = search(steps, 4);
            EXPECT_EQ(again.lower_bound, cut.lower_bound) << steps;
            EXPECT_EQ(again.best, cut.best) << steps;
        }
        EXPECT_GT(bound, 0.0);
        any_is_cut = any_is_cut || search(1, 1).stopped == StopReason::bounded;
    }
    EXPECT_TRUE(any_is_cut);
}

// If all energies are zero all products tie: the tie-break decides alone.
TEST(Optimal, OfEqualProductsTheFastestCountsWhereThatIsAskedFor) {
    Architecture machine = small_machine();
    for (Memory& memory : machine.memories) memory.energy = {};
    machine.compute.energy_pj.value = 0.0;
    const Problem problem(conv2d(4, 6, 4, 1), machine);
    const Objective objective{.kind = ObjectiveKind::edp, .faster_of_equals = true};
    const std::int64_t fastest = problem.solve(ObjectiveKind::latency).cost.cycles;
    for (const char* name : {"optimal", "exhaustive"}) {
        const SearchResult found = make_mapper(name)->search(problem.mapspace, problem.evaluator, objective, {}, {});
        EXPECT_EQ(found.score.value, 0.0) << name;
        EXPECT_EQ(found.cost.cycles, fastest) << name;
    }
}

TEST(Optimal, WhereNothingFitsItSaysThatItSawEverything) {
    Architecture machine = small_machine();
    machine.memories[2].capacity_words = 1;  // all three tensors want one word each
    Constraints constraints;
    constraints.levels.resize(3);
    constraints.levels[2].must_keep = TensorSet::all(3);
    const Einsum layer = conv2d(4, 4, 4, 1);
    const Mapspace mapspace(layer, machine, constraints);
    const SearchResult result =
        OptimalMapper().search(mapspace, LeanEvaluator(layer, machine), {ObjectiveKind::edp}, {}, {});
    EXPECT_FALSE(result.best);
    EXPECT_EQ(result.stopped, StopReason::exhausted);
}

// Eleven channels leave a mesh of four columns idle with perfect factors.
TEST(Optimal, SpatialRemaindersFillTheMesh) {
    const Einsum layer = conv2d(1, 11, 2, 1);
    const LeanEvaluator evaluator(layer, small_machine());
    const auto solve = [&](FactorRule rule) {
        const Mapspace mapspace(layer, small_machine(), fixed_keeps(), rule);
        const SearchResult found = OptimalMapper().search(mapspace, evaluator, {ObjectiveKind::edp}, {}, {});
        EXPECT_EQ(found.stopped, StopReason::proven);
        EXPECT_TRUE(mapspace.contains(found.best->point));
        return found.score.value;
    };
    EXPECT_LT(solve(FactorRule::ruby_s), solve(FactorRule::perfect));
}

TEST(Optimal, TemporalRemaindersOfSmallLayersAreProven) {
    const Einsum layer = gemm(5, 7, 3);
    const Mapspace mapspace(layer, small_machine(), fixed_keeps(), FactorRule::ruby);
    const LeanEvaluator evaluator(layer, small_machine());
    for (const ObjectiveKind kind : {ObjectiveKind::energy, ObjectiveKind::latency, ObjectiveKind::edp}) {
        const SearchResult found = OptimalMapper().search(mapspace, evaluator, {kind}, {}, {});
        const SearchResult best = ExhaustiveMapper().search(mapspace, evaluator, {kind}, {}, {});
        ASSERT_TRUE(found.best);
        EXPECT_EQ(found.stopped, StopReason::proven);
        EXPECT_EQ(found.lower_bound, found.score.value);
        EXPECT_NEAR(found.score.value, best.score.value, 1e-9 * best.score.value);
    }
}

TEST(Optimal, TemporalRemaindersAreNotProvenWhenEvaluationsRunOut) {
    const Einsum layer = gemm(5, 7, 3);
    const Mapspace mapspace(layer, small_machine(), fixed_keeps(), FactorRule::ruby);
    const LeanEvaluator evaluator(layer, small_machine());
    Budget budget;
    budget.evaluations = 200;
    const SearchResult found = OptimalMapper().search(mapspace, evaluator, {ObjectiveKind::energy}, budget, {});
    ASSERT_TRUE(found.best && found.lower_bound);
    EXPECT_EQ(found.stopped, StopReason::bounded);
    EXPECT_LT(*found.lower_bound, found.score.value);
}

TEST(Optimal, TemporalRemaindersAreBounded) {
    const Einsum layer = conv2d(5, 11, 7, 3);
    const Mapspace mapspace(layer, small_machine(), fixed_keeps(), FactorRule::ruby);
    const LeanEvaluator evaluator(layer, small_machine());
    const SearchResult found = OptimalMapper().search(mapspace, evaluator, {ObjectiveKind::energy}, {}, {});
    ASSERT_TRUE(found.best && found.lower_bound);
    EXPECT_EQ(found.stopped, StopReason::bounded);
    EXPECT_LT(*found.lower_bound, found.score.value);
    EXPECT_GT(*found.lower_bound, 0.5 * found.score.value);
    EXPECT_TRUE(mapspace.contains(found.best->point));
}

}  // namespace
}  // namespace tilewright::optimal_test
