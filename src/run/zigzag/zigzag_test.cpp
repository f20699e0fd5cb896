// ZigZag's problems by the library's verbs: answers and refusals of map_zigzag().
#include <gmock/gmock.h>

#include "base/error.hpp"
#include "fixtures/zigzag_sample.hpp"
#include "run/zigzag/map.hpp"
#include "zigzag/files/load.hpp"
#include "zigzag/orders/searches.hpp"

namespace tilewright::zigzag_test {
namespace {

using testing::HasSubstr;
namespace sample = zigzag::sample;

constexpr const char* kLinks = R"(
- name: default
  spatial_mapping: {D1: ['K, 4'], D2: ['C, 4']}
  memory_operand_links: {O: O, W: I2, I: I1}
)";

// 10!/(3! 2!) and 30 orders.
ZigzagProblem two_layers(const std::string& mapping = kLinks) {
    const zigzag::Accelerator machine = sample::array_of(4, 4);
    std::vector<zigzag::WorkloadLayer> layers{{0, sample::convolution({1, 32, 16, 14, 14, 1, 3}), {}},
                                              {1, sample::convolution({1, 16, 16, 1, 3, 1, 1}), {}}};
    layers.front().layer.name = "large";
    return zigzag_problem(machine, "two", layers, zigzag::read_mappings(zigzag::load_text(mapping).root, machine));
}

double least_energy(const ZigzagProblem& problem, std::size_t layer) {
    const ZigzagUnrolling& one = problem.layers[layer].unrollings.front();
    orders::OrderProblem orders;
    orders.accelerator = problem.accelerator;
    orders.layer = problem.layers[layer].layer;
    orders.fractional = one.spatial.fractional;
    orders.whole = one.spatial.whole;
    return orders::find_search("exhaustive")->run(orders, {}).cost.energy_pj;
}

TEST(MapZigzag, ProvesTheLeastEnergyOfAllOrders) {
    const ZigzagProblem problem = two_layers();
    const report::ZigzagReport found = map_zigzag(problem);
    ASSERT_EQ(found.layers.size(), 2U);
    for (std::size_t i = 0; i < 2; ++i) {
        EXPECT_EQ(found.layers[i].result.value().energy_pj(), least_energy(problem, i));
        EXPECT_TRUE(found.layers[i].search.value().proven);
    }
    EXPECT_EQ(provenance_options({}).front().second, "optimal");
}

TEST(MapZigzag, WhatSampledOrdersIsNoProof) {
    ZigzagOptions options;
    options.map.mapper = MapperKind::loma;
    options.orders.lpf_limit = 3;
    const report::ZigzagReport found = map_zigzag(two_layers(), options);
    EXPECT_FALSE(found.layers.front().search.value().proven);
    EXPECT_THAT(found.layers.front().search.value().stopped_by, HasSubstr("limited number of prime factors"));
}

TEST(MapZigzag, AnOrderThatTheFileGivesIsEvaluatedNotSearched) {
    const std::string whole = std::string(kLinks) + "  temporal_ordering: [[OX, 3], [C, 4], [K, 4]]\n";
    ZigzagProblem small = two_layers(whole);
    small.layers.erase(small.layers.begin());
    const report::ZigzagReport given = map_zigzag(small);
    EXPECT_FALSE(given.layers.front().search.has_value());
    ASSERT_TRUE(given.layers.front().result.has_value());
    EXPECT_EQ(given.layers.front().result->energy_pj(), evaluate_zigzag(small).layers.front().result->energy_pj());
    EXPECT_THAT(given.notes.at(0), HasSubstr("gives the order of the loops; no other was tried"));
    EXPECT_GE(given.layers.front().result->energy_pj(), map_zigzag(two_layers()).layers.back().result->energy_pj());
}

TEST(MapZigzag, TellsHowFarItIsAndStops) {
    const ZigzagProblem problem = two_layers();
    std::size_t calls = 0;
    std::size_t done = 0;
    const auto progress = [&](const NetworkProgress& now) {
        ++calls;
        done = now.done;
        EXPECT_EQ(now.shapes, 2U);
        EXPECT_GT(now.search->sampled, 0);
    };
    map_zigzag(problem, {}, {.cache = nullptr, .stop = nullptr, .progress = progress});
    EXPECT_EQ(calls, 2U);
    EXPECT_EQ(done, 2U);
    StopSource stop;
    stop.request();
    const report::ZigzagReport stopped = map_zigzag(problem, {}, {.cache = nullptr, .stop = &stop, .progress = {}});
    EXPECT_TRUE(stopped.interrupted);
    for (const report::ZigzagLayer& layer : stopped.layers) {
        EXPECT_FALSE(layer.result.has_value());
        EXPECT_FALSE(layer.search.value().proven);
        EXPECT_THAT(layer.failures.at(0), HasSubstr("interrupted"));
    }
}

TEST(MapZigzag, OptionsWithoutAMeaningAreRefused) {
    const ZigzagProblem problem = two_layers();
    const auto with = [&](auto change) {
        ZigzagOptions options;
        change(options);
        EXPECT_THROW(map_zigzag(problem, options), InputError);
        return problem_with(options);
    };
    EXPECT_EQ(problem_with(ZigzagOptions{}), "");
    EXPECT_THAT(with([](ZigzagOptions& o) { o.map.mapper = MapperKind::hybrid; }), HasSubstr("not by 'hybrid'"));
    EXPECT_THAT(with([](ZigzagOptions& o) { o.map.objective.kind = ObjectiveKind::pareto; }), HasSubstr("front"));
    EXPECT_THAT(with([](ZigzagOptions& o) { o.map.victory = 3; }), HasSubstr("no meaning"));
    EXPECT_THAT(with([](ZigzagOptions& o) { o.map.factors = FactorRule::ruby; }), HasSubstr("no meaning"));
    EXPECT_THAT(with([](ZigzagOptions& o) { o.orders.chains = 0; }), HasSubstr("at least 1"));
    EXPECT_THAT(with([](ZigzagOptions& o) { o.map.threads = -1; }), HasSubstr("threads"));
}

TEST(EvaluateZigzag, ALayerWithoutAMappingSaysWhy) {
    const report::ZigzagReport report = evaluate_zigzag(two_layers());
    for (const report::ZigzagLayer& layer : report.layers) {
        EXPECT_FALSE(layer.result.has_value());
        EXPECT_THAT(layer.failures.at(0), HasSubstr("neither a temporal_mapping nor a complete temporal_ordering"));
    }
}

}  // namespace
}  // namespace tilewright::zigzag_test
