#include "orders/searches.hpp"

#include <gmock/gmock.h>

#include <algorithm>

#include "account/zigzag/loop_factors.hpp"
#include "account/zigzag/sample.hpp"
#include "orders/layers.hpp"

namespace tilewright::orders {
namespace {

using namespace zigzag::sample;
using ::testing::HasSubstr;

Problem problem_of(zigzag::Layer layer, zigzag::Accelerator machine = array_of(4, 4)) {
    const zigzag::ArrayUnrolling unrolling{{{K, 4}}, {{C, 4}}};
    Problem problem;
    problem.fractional = spatial_mapping(machine, layer, unrolling, zigzag::UnrollRounding::fractional);
    problem.whole = spatial_mapping(machine, layer, unrolling, zigzag::UnrollRounding::whole);
    problem.layer = std::move(layer);
    problem.accelerator = std::move(machine);
    return problem;
}

// K: 2^3, C: 2^2, OY and OX: 2 x 7, FX: 3; 10!/(3! 2!) = 302,400 orders.
Problem medium() { return problem_of(convolution({1, 32, 16, 14, 14, 1, 3})); }
// 30 orders
Problem small() { return problem_of(convolution({1, 16, 16, 1, 3, 1, 1})); }

Answer run(std::string_view name, const Problem& problem, const Settings& settings = {}) {
    return find_search(name)->run(problem, settings);
}

// The least score of all orders, one by one.
Score least(const Problem& problem, const Objective& objective) {
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
    const Problem problem = medium();
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
    const std::vector<Problem> problems{medium(), small(), problem_of(convolution({1, 24, 16, 8, 8, 3, 1}))};
    Settings settings;
    settings.threads = 2;
    std::size_t calls = 0;
    const std::vector<Answer> answers =
        search_layers(problems, *find_search("salsa"), settings, [&](std::size_t, const Answer&) { ++calls; });
    EXPECT_EQ(calls, problems.size());
    for (std::size_t i = 0; i < problems.size(); ++i) EXPECT_EQ(answers[i].order, run("salsa", problems[i]).order);
}

TEST(OrderSearches, StopEndsASearch) {
    StopSource stop;
    stop.request();
    Settings settings;
    settings.stop = &stop;
    for (const Search& search : searches()) EXPECT_TRUE(search.run(medium(), settings).interrupted) << search.name;
}

}  // namespace
}  // namespace tilewright::orders
