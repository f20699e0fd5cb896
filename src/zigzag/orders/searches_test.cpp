#include "zigzag/orders/searches.hpp"

#include <gmock/gmock.h>

#include <algorithm>

#include "fixtures/zigzag_sample.hpp"
#include "zigzag/accounting/nest.hpp"
#include "zigzag/orders/optimal.hpp"

namespace tilewright::orders::searches_test {
namespace {

using namespace zigzag::sample;
using ::testing::HasSubstr;

OrderProblem problem_of(zigzag::Layer layer, zigzag::Accelerator machine = array_of(4, 4)) {
    const zigzag::ArrayUnrolling unrolling{{{K, 4}}, {{C, 4}}};
    OrderProblem problem;
    problem.fractional = spatial_mapping(machine, layer, unrolling, zigzag::UnrollRounding::fractional);
    problem.whole = spatial_mapping(machine, layer, unrolling, zigzag::UnrollRounding::whole);
    problem.layer = std::move(layer);
    problem.accelerator = std::move(machine);
    return problem;
}

// K: 2^3, C: 2^2, OY and OX: 2 x 7, FX: 3; 10!/(3! 2!) = 302,400 orders.
OrderProblem medium() { return problem_of(convolution({1, 32, 16, 14, 14, 1, 3})); }
// 30 orders
OrderProblem small() { return problem_of(convolution({1, 16, 16, 1, 3, 1, 1})); }

Answer run(std::string_view name, const OrderProblem& problem, const Settings& settings = {}) {
    return find_search(name)->run(problem, settings);
}

Score least(const OrderProblem& problem, const Objective& objective) {
    const std::vector<zigzag::TemporalLoop> loops = zigzag::loop_factors(problem.layer, problem.fractional);
    const zigzag::OrderEvaluator evaluator(problem.accelerator, problem.layer, problem.fractional, problem.whole, loops,
                                           problem.evenness);
    zigzag::LoopOrder order = evaluator.first_order();
    Score least;
    do {
        if (const auto cost = evaluator.cost(order))
            least = std::min(least, objective.score(cost->energy_pj, cost->latency_cycles));
    } while (std::next_permutation(order.begin(), order.end()));
    return least;
}

TEST(OrderSearches, ExhaustiveFindsTheLeastOfAllOrders) {
    for (const ObjectiveKind kind : {ObjectiveKind::energy, ObjectiveKind::latency, ObjectiveKind::edp}) {
        Settings settings;
        settings.objective.kind = kind;
        const Answer answer = run("exhaustive", medium(), settings);
        EXPECT_EQ(answer.evaluations, 302400);
        EXPECT_TRUE(answer.complete);
        EXPECT_EQ(settings.objective.score(answer.cost.energy_pj, answer.cost.latency_cycles),
                  least(medium(), settings.objective));
    }
}

TEST(OrderSearches, ExhaustiveIsTheSameOnAnyNumberOfThreads) {
    Settings settings;
    const Answer one = run("exhaustive", medium(), settings);
    settings.threads = 3;
    EXPECT_EQ(run("exhaustive", medium(), settings).order, one.order);
}

TEST(OrderSearches, TheAnswerIsTheAllocationOfItsOrder) {
    const OrderProblem problem = medium();
    const Answer answer = run("salsa", problem);
    EXPECT_EQ(answer.mapping,
              std::get<zigzag::UnevenMapping>(zigzag::allocate(problem.accelerator, problem.layer, problem.fractional,
                                                               answer.order, problem.evenness)));
}

TEST(OrderSearches, SalsaAnnealsWhereThatIsFaster) {
    const Answer many = run("salsa", medium());
    EXPECT_EQ(many.engine, "annealing");
    EXPECT_EQ(many.evaluations, 1001) << "the start and 1000 iterations";
    const Answer few = run("salsa", small());
    EXPECT_EQ(few.engine, "exhaustive");
    EXPECT_EQ(few.evaluations, 30);
    EXPECT_TRUE(few.complete);
}

TEST(OrderSearches, AnnealingDependsOnItsSeedAlone) {
    Settings settings;
    settings.seed = 5;
    EXPECT_EQ(run("salsa", medium(), settings).order, run("salsa", medium(), settings).order);
    Settings other = settings;
    other.seed = 6;
    EXPECT_NE(run("salsa", medium(), settings).order, run("salsa", medium(), other).order);
}

TEST(OrderSearches, ChainsOnlyHelp) {
    Settings settings;
    const double one = run("salsa", medium(), settings).cost.energy_pj;
    settings.chains = 20;
    const Answer answer = run("salsa", medium(), settings);
    EXPECT_LE(answer.cost.energy_pj, one);
    EXPECT_EQ(answer.evaluations, 20 * 1001);
}

TEST(OrderSearches, LomaOrdersAtMostSoManyFactors) {
    Settings settings;
    settings.lpf_limit = 6;
    const Answer answer = run("loma", medium(), settings);
    EXPECT_EQ(answer.order.size(), 6U);
    EXPECT_EQ(answer.evaluations, 720) << "merged factors are all different";
    EXPECT_FALSE(answer.complete) << "orders that part what was merged are not seen";
    settings.lpf_limit = 64;
    EXPECT_TRUE(run("loma", small(), settings).complete) << "nothing is merged";
    EXPECT_GE(answer.cost.energy_pj, run("exhaustive", medium()).cost.energy_pj);
}

TEST(OrderSearches, TooManyOrdersAreNotBegun) {
    Settings settings;
    settings.most_orders = 1000;
    const Answer answer = run("exhaustive", medium(), settings);
    EXPECT_THAT(answer.failure, HasSubstr("there are 302400 orders, more than the limit of 1000"));
    EXPECT_TRUE(answer.order.empty());
}

TEST(OrderSearches, WhatIsTooSmallIsNamed) {
    zigzag::Accelerator machine = array_of(4, 4);
    machine.memories[2].size_bits = 8;
    derive(machine);
    for (const Search& search : searches())
        EXPECT_THAT(search.run(problem_of(convolution({1, 16, 16, 14, 14, 1, 3}), machine), {}).failure,
                    HasSubstr("memory 'rf_o' lacks 8 bits: operand O needs 16, there are 8"))
            << search.name;
}

TEST(OrderSearches, ManyLayersHaveTheAnswersThatEachHasAlone) {
    const std::vector<OrderProblem> problems{medium(), small(), problem_of(convolution({1, 24, 16, 8, 8, 3, 1}))};
    Settings settings;
    settings.threads = 2;
    std::size_t calls = 0;
    const std::vector<Answer> answers =
        search_layers(problems, *find_search("salsa"), settings, [&](std::size_t, const Answer&) { ++calls; });
    EXPECT_EQ(calls, problems.size());
    for (std::size_t i = 0; i < problems.size(); ++i) EXPECT_EQ(answers[i].order, run("salsa", problems[i]).order);
}

// ZigZag's filter: a loop of given size is at its place, counted from the inside or the outside; "*" is any size.
bool keeps(const std::vector<zigzag::TemporalLoop>& order, const zigzag::GivenOrder& given) {
    const auto fits = [](const zigzag::TemporalLoop& loop, const zigzag::GivenLoop& wanted) {
        return loop.dimension == wanted.dimension && loop.size == wanted.size.value_or(loop.size);
    };
    return std::equal(given.inner.begin(), given.inner.end(), order.begin(),
                      [&](const auto& wanted, const auto& loop) { return fits(loop, wanted); }) &&
           std::equal(given.outer.rbegin(), given.outer.rend(), order.rbegin(),
                      [&](const auto& wanted, const auto& loop) { return fits(loop, wanted); });
}

TEST(OrderSearches, LoopsThatAreGivenStayWhereTheyAre) {
    // Of 10 factors; C is 2 x 2, K 2 x 2 x 2, OX and OY 2 x 7 each.
    for (const zigzag::GivenOrder& given :
         {zigzag::GivenOrder{{{OX, {}}, {K, 2}}, {}}, zigzag::GivenOrder{{{C, 2}}, {{OY, {}}, {K, 2}}},
          zigzag::GivenOrder{{}, {{FX, 3}, {OX, {}}, {OY, 7}}}}) {
        OrderProblem problem = medium();
        const std::vector<zigzag::TemporalLoop> loops = zigzag::loop_factors(problem.layer, problem.fractional);
        const zigzag::OrderEvaluator evaluator(problem.accelerator, problem.layer, problem.fractional, problem.whole,
                                               loops, problem.evenness);
        const Objective objective{ObjectiveKind::energy};
        zigzag::LoopOrder order = evaluator.first_order();
        Score least;
        std::int64_t allowed = 0;
        do {
            if (!keeps(evaluator.loops_of(order), given)) continue;
            ++allowed;
            if (const auto cost = evaluator.cost(order))
                least = std::min(least, objective.score(cost->energy_pj, cost->latency_cycles));
        } while (std::next_permutation(order.begin(), order.end()));
        problem.given = given;
        const Answer all = run("exhaustive", problem);
        EXPECT_EQ(all.evaluations, allowed);
        EXPECT_EQ(objective.score(all.cost.energy_pj, all.cost.latency_cycles), least);
        EXPECT_NEAR(run("optimal", problem).cost.energy_pj, least.value, 1e-9 * least.value);
        for (const Search& search : searches()) {
            if (search.name == "loma") continue;
            const Answer answer = search.run(problem, {});
            ASSERT_TRUE(answer.failure.empty()) << search.name << ": " << answer.failure;
            EXPECT_TRUE(keeps(answer.order, given)) << search.name;
            EXPECT_GE(answer.cost.energy_pj, least.value * (1 - 1e-12)) << search.name;
        }
    }
}

TEST(OrderSearches, LomaLimitsTheFactorsBesideThoseOfGivenSize) {
    OrderProblem problem = medium();
    problem.given = {{{K, 4}, {OX, {}}}, {}};
    const Answer answer = run("loma", problem);
    ASSERT_EQ(answer.order.size(), 6U);
    EXPECT_EQ(answer.order[0], (zigzag::TemporalLoop{K, 4}));
    EXPECT_EQ(answer.order[1].dimension, OX);
    EXPECT_EQ(answer.orders, static_cast<Count>(24)) << "OX is one loop of 14: four others are left to be ordered";
}

TEST(OrderSearches, NothingMayBeLeftToBeOrdered) {
    OrderProblem problem = problem_of(convolution({1, 4, 16, 1, 1, 1, 1}));
    problem.given = {{{C, {}}}, {{C, {}}}};
    for (const Search& search : searches()) {
        const Answer answer = search.run(problem, {});
        EXPECT_EQ(answer.order, (std::vector<zigzag::TemporalLoop>{{C, 2}, {C, 2}})) << search.name;
        EXPECT_TRUE(answer.complete) << search.name;
    }
    problem.given.inner.push_back({C, {}});
    EXPECT_THAT(run("loma", problem).failure, HasSubstr("more loops of a dimension than there are factors"));
}

TEST(OrderSearches, StopEndsASearch) {
    StopSource stop;
    stop.request();
    Settings settings;
    settings.stop = &stop;
    for (const Search& search : searches()) EXPECT_TRUE(search.run(medium(), settings).interrupted) << search.name;
}

}  // namespace
}  // namespace tilewright::orders::searches_test
