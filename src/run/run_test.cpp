#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <thread>

#include "base/error.hpp"
#include "base/numbers/random.hpp"
#include "fixtures/small_machine.hpp"
#include "mapper/by_name/by_name.hpp"
#include "mapper/mapper.hpp"
#include "mapping/validity.hpp"
#include "model/exact/model.hpp"
#include "run/claim.hpp"
#include "run/floor.hpp"
#include "run/machine.hpp"
#include "run/map_network.hpp"
#include "run/report_of.hpp"
#include "run/schedule/tile_latency.hpp"
#include "run/simulate/simulate_network.hpp"
#include "run/simulate/simulate_schedules.hpp"
#include "workload/shapes.hpp"

namespace tilewright::run_test {
namespace {

using fixtures::small_machine;
using testing::HasSubstr;
using testing::StartsWith;

LayerProblem small_problem() { return {conv2d(8, 8, 4, 3), small_machine(), {}}; }

Network two_shapes_in_three_layers() {
    Network network{"net", {}, {}};
    network.layers.push_back({"a", "Conv", conv2d(8, 8, 4, 3), 2, {}});
    network.layers.push_back({"b", "Conv", conv2d(4, 8, 4, 1), 1, {}});
    network.layers.push_back({"c", "Conv", conv2d(8, 8, 4, 3), 3, {}});
    return network;
}

void expect_equal(const LayerAnswer& one, const LayerAnswer& other) {
    ASSERT_TRUE(one.mapping && other.mapping);
    EXPECT_EQ(*one.mapping, *other.mapping);
    EXPECT_EQ(one.evaluation->energy_pj, other.evaluation->energy_pj);
    EXPECT_EQ(one.evaluation->cycles, other.evaluation->cycles);
    EXPECT_EQ(one.search->claim, other.search->claim);
    EXPECT_EQ(one.search->evaluations, other.search->evaluations);
    EXPECT_EQ(one.search->stopped_by, other.search->stopped_by);
    EXPECT_EQ(one.front.size(), other.front.size());
}

TEST(MapLayer, AnswersWithALegalMappingAndTheCostsOfTheExactModel) {
    const LayerProblem problem = small_problem();
    int compared = 0;
    for (const std::string& name : mapper_names()) {
        MapOptions options;
        options.mapper = mapper_kind_named(name).value();
        options.evaluations = 2000;
        options.largest_space = 0;
        if (options.mapper == MapperKind::exhaustive) continue;  // takes minutes
        const LayerAnswer answer = map_layer(problem, options);
        if (!answer.mapping) continue;
        ++compared;
        EXPECT_TRUE(check(problem.einsum, problem.architecture, *answer.mapping).empty()) << name;
        const Evaluation again = evaluate(problem.einsum, problem.architecture, *answer.mapping);
        EXPECT_EQ(again.energy_pj, answer.evaluation->energy_pj) << name;
        EXPECT_EQ(again.cycles, answer.evaluation->cycles) << name;
    }
    EXPECT_GE(compared, 7);
}

TEST(MapLayer, NothingIsBetterThanWhatIsProven) {
    const LayerProblem problem = small_problem();
    const LayerAnswer best = map_layer(problem);
    ASSERT_TRUE(best.search->proven);
    EXPECT_THAT(best.search->claim, StartsWith("proven optimal: no even mapping with perfect factors"));
    for (const std::uint64_t seed : {1, 2, 3}) {
        MapOptions options;
        options.mapper = MapperKind::random;
        options.seed = seed;
        options.evaluations = 5000;
        const LayerAnswer other = map_layer(problem, options);
        EXPECT_GE(other.evaluation->edp_pj_cycles(), best.evaluation->edp_pj_cycles() * (1.0 - 1e-9));
        EXPECT_FALSE(other.search->proven);
    }
}

TEST(MapLayer, PadsWhereThatIsAskedFor) {
    const LayerProblem problem{conv2d(17, 13, 7, 1), small_machine(), {}};  // nothing divides
    MapOptions options;
    options.factors = FactorRule::padded;
    options.objective = {.kind = ObjectiveKind::latency};
    const LayerAnswer answer = map_layer(problem, options);
    ASSERT_TRUE(answer.unpadded);
    EXPECT_EQ(*answer.unpadded, problem.einsum);
    EXPECT_GT(operation_count(answer.einsum), operation_count(problem.einsum));
    EXPECT_TRUE(check(answer.einsum, problem.architecture, *answer.mapping).empty());
}

TEST(MapLayer, SaysWhyThereIsNoMapping) {
    LayerProblem problem = small_problem();
    problem.constraints.levels.resize(problem.architecture.memories.size());
    for (LevelConstraint& level : problem.constraints.levels) {
        level.temporal.factors.assign(problem.einsum.dimensions.size(), FactorConstraint{1, 1, std::nullopt});
        level.spatial.factors = level.temporal.factors;
    }
    const LayerAnswer answer = map_layer(problem);
    EXPECT_FALSE(answer.mapping);
    ASSERT_FALSE(answer.failures.empty());
    EXPECT_THAT(answer.failures.front(), HasSubstr("factorise"));
}

TEST(MapLayer, RefusesOptionsThatDoNotGoTogether) {
    MapOptions options;
    options.uneven = true;
    options.mapper = MapperKind::hybrid;
    EXPECT_THROW(map_layer(small_problem(), options), InputError);
    options = {};
    options.mapper = MapperKind::cosa;
    options.factors = FactorRule::ruby;
    EXPECT_THROW(map_layer(small_problem(), options), InputError);
    options = {};
    options.threads = 1025;
    EXPECT_THAT(problem_with(options), HasSubstr("1024"));
    EXPECT_EQ(problem_with(MapOptions{}), "");
}

TEST(MapLayer, EveryMapperHasAKindAndEveryKindAName) {
    for (const std::string& name : mapper_names()) {
        const std::optional<MapperKind> kind = mapper_kind_named(name);
        ASSERT_TRUE(kind) << name;
        EXPECT_EQ(name_of(*kind), name);
        EXPECT_EQ(make_mapper(name)->name(), name);
    }
    EXPECT_EQ(mapper_kind_named("no such"), std::nullopt);
}

TEST(Claims, AreDeniedWhereTheSearchDidNotProveThem) {
    SearchResult found;
    found.best = FoundMapping{TilingPoint(1, 1)};
    found.score = {100.0, 1.0};
    found.lower_bound = 100.0;
    for (const StopReason reason : {StopReason::victory, StopReason::evaluations, StopReason::time,
                                    StopReason::interrupted, StopReason::finished, StopReason::bounded}) {
        found.stopped = reason;
        EXPECT_THAT(claim_of(found, {}, {}), testing::Not(HasSubstr("proven")));
    }
    found.stopped = StopReason::proven;
    EXPECT_THAT(claim_of(found, {}, {}), HasSubstr("energy-delay product"));
    EXPECT_THAT(claim_of(found, {}, {}), testing::Not(HasSubstr("fastest")));
    MapOptions faster;
    faster.objective.faster_of_equals = true;
    EXPECT_THAT(claim_of(found, {}, faster), HasSubstr("product (of equal ones that were seen, this is the fastest)"));
    EXPECT_TRUE(parse_objective(objective_text(faster.objective))->faster_of_equals);
    MapOptions uneven;
    uneven.uneven = true;
    EXPECT_THAT(claim_of(found, {}, uneven), HasSubstr("even or uneven mapping"));
    found.best.reset();
    EXPECT_THAT(claim_of(found, {}, {}), testing::Not(HasSubstr("proven")));
}

TEST(MapNetwork, MapsEveryShapeOnceAndCountsItsLayers) {
    const Network network = two_shapes_in_three_layers();
    const NetworkProblem problem = network_problem(network, small_machine());
    ASSERT_EQ(problem.shapes.size(), 2u);
    EXPECT_EQ(problem.shapes[0].names, (std::vector<std::string>{"a", "c"}));
    EXPECT_EQ(problem.shapes[0].repeats, 5);
    const NetworkAnswer answer = map_network(problem);
    const LayerAnswer first = map_layer(problem.shapes[0].layer);
    expect_equal(answer.layers[0], first);
    const std::optional<NetworkTotals> sum = totals(problem, answer);
    ASSERT_TRUE(sum);
    EXPECT_EQ(sum->cycles, 5 * first.evaluation->cycles + answer.layers[1].evaluation->cycles);
    const report::Report report = report_of(network, small_machine(), problem, answer);
    EXPECT_EQ(report::totals(report).cycles, sum->cycles);
    EXPECT_EQ(report::totals(report).energy_pj, sum->energy_pj);
}

TEST(MapNetwork, TheAnswersAreTheSameOnAnyNumberOfThreads) {
    const NetworkProblem problem = network_problem(two_shapes_in_three_layers(), small_machine());
    for (const MapperKind mapper : {MapperKind::automatic, MapperKind::hybrid}) {
        MapOptions options;
        options.mapper = mapper;
        options.evaluations = 2000;
        options.threads = 1;
        const NetworkAnswer one = map_network(problem, options);
        options.threads = 4;
        const NetworkAnswer four = map_network(problem, options);
        for (std::size_t i = 0; i < one.layers.size(); ++i) expect_equal(one.layers[i], four.layers[i]);
    }
}

TEST(MapNetwork, TellsHowFarItIs) {
    const NetworkProblem problem = network_problem(two_shapes_in_three_layers(), small_machine());
    int begun = 0;
    int ended = 0;
    std::size_t done = 0;
    NetworkControl control;
    control.progress = [&](const NetworkProgress& now) {
        begun += now.event == NetworkProgress::Event::begins ? 1 : 0;
        ended += now.event == NetworkProgress::Event::ends ? 1 : 0;
        EXPECT_EQ(now.search != nullptr, now.event == NetworkProgress::Event::searches);
        EXPECT_EQ(now.shapes, 2u);
        EXPECT_LT(now.shape, 2u);
        if (now.event == NetworkProgress::Event::ends) done = std::max(done, now.done);
    };
    map_network(problem, {}, control);
    EXPECT_EQ(begun, 2);
    EXPECT_EQ(ended, 2);
    EXPECT_EQ(done, 2u);
}

TEST(MapNetwork, WhatIsStoppedBeforeItBeginsSaysSo) {
    StopSource stop;
    stop.request();
    const NetworkProblem problem = network_problem(two_shapes_in_three_layers(), small_machine());
    const NetworkAnswer answer = map_network(problem, {}, {.stop = &stop});
    EXPECT_TRUE(answer.interrupted);
    for (const LayerAnswer& layer : answer.layers)
        EXPECT_THAT(layer.failures, testing::ElementsAre("interrupted before it was searched"));
    EXPECT_FALSE(totals(problem, answer));
}

TEST(MapNetwork, EveryLayerHasALegalMappingHoweverShortTheTime) {
    const NetworkProblem problem = network_problem(two_shapes_in_three_layers(), small_machine());
    MapOptions options;
    options.time_limit_seconds = 0.0;
    for (const FactorRule factors : {FactorRule::perfect, FactorRule::ruby, FactorRule::ruby_s, FactorRule::padded})
        for (const bool front : {false, true}) {
            options.factors = factors;
            options.objective.kind = front ? ObjectiveKind::pareto : ObjectiveKind::edp;
            const NetworkAnswer answer = map_network(problem, options);
            ASSERT_TRUE(totals(problem, answer));
            for (const LayerAnswer& layer : answer.layers) {
                EXPECT_FALSE(layer.search->proven);
                EXPECT_EQ(layer.front.size(), front ? 1u : 0u);
                EXPECT_THAT(layer.search->claim, StartsWith("the first legal mapping that was drawn"));
            }
        }
}

TEST(MapNetwork, NoTimeMakesALegalMappingWhereThereIsNone) {
    NetworkProblem problem = network_problem(two_shapes_in_three_layers(), small_machine());
    for (Memory& memory : problem.shapes[1].layer.architecture.memories) memory.capacity_words = 1;
    MapOptions options;
    options.time_limit_seconds = 0.0;
    const NetworkAnswer answer = map_network(problem, options);
    EXPECT_TRUE(answer.layers[0].mapping);
    EXPECT_FALSE(answer.layers[1].mapping);
    EXPECT_FALSE(answer.layers[1].failures.empty());
}

TEST(MapNetwork, NamesTheLayerThatIsTooLarge) {
    Network network = two_shapes_in_three_layers();
    network.layers[1].einsum = conv2d(std::int64_t{1} << 40, 8, 4, 3);
    try {
        map_network(network_problem(network, small_machine()));
        FAIL() << "no error";
    } catch (const InputError& error) {
        EXPECT_EQ(error.code(), ErrorCode::overflow);
        EXPECT_THAT(error.message(), HasSubstr("'b'"));
    }
}

TEST(Floors, NoMappingUndercutsThem) {
    Random random(11);
    int compared = 0;
    int rules = 0;
    double nearest = 0.0;
    for (int i = 0; i < 48; ++i) {
        const Architecture machine = small_machine();
        const bool divide = i % 4 != 0;
        const Network network{"net",
                              {{"a",
                                "Conv",
                                conv2d(1 + random.below(6), 1 + random.below(4), 1 + random.below(4), divide ? 3 : 1),
                                2,
                                {}},
                               {"b", "Conv", conv2d(1 + random.below(8), 4, 2, 1), 1, {}}},
                              {}};
        MapOptions options;
        options.factors = divide ? FactorRule::perfect : FactorRule::ruby_s;
        options.mapper = MapperKind::optimal;
        const NetworkProblem problem = network_problem(network, machine);
        const std::optional<NetworkFloor> floor = floor_of(problem, options);
        if (!floor) continue;
        for (const ObjectiveKind kind : {ObjectiveKind::energy, ObjectiveKind::latency}) {
            options.objective.kind = kind;
            const std::optional<NetworkTotals> found = totals(problem, map_network(problem, options));
            if (!found) continue;
            EXPECT_LE(floor->energy_pj, found->energy_pj * (1.0 + 1e-12));
            EXPECT_LE(floor->cycles, static_cast<double>(found->cycles));
            nearest =
                std::max(nearest, kind == ObjectiveKind::energy ? floor->energy_pj / found->energy_pj
                                                                : floor->cycles / static_cast<double>(found->cycles));
            ++compared;
            rules += options.factors == FactorRule::ruby_s;
        }
    }
    EXPECT_GE(compared, 80);
    EXPECT_GE(rules, 20);
    EXPECT_GT(nearest, 0.8) << "a floor of nothing holds, too";
    MapOptions padded;
    padded.factors = FactorRule::padded;
    EXPECT_FALSE(floor_of(network_problem(two_shapes_in_three_layers(), small_machine()), padded));
}

TEST(TileLatencies, AreThoseOfTheBestMappingOfTheTileOnTheCore) {
    const TileLatency latency(small_machine(), [](const Einsum&) { return Constraints{}; });
    Random random(5);
    for (int i = 0; i < 25; ++i) {
        const schedule::TileShape tile{random.between(1, 6), random.between(1, 6), random.between(1, 8),
                                       random.between(1, 8), random.between(1, 3), random.between(1, 3),
                                       random.between(1, 2), random.between(1, 2)};
        Convolution shape;
        shape.in_channels = tile.in_c;
        shape.out_channels = tile.out_c;
        shape.width = {tile.out_w, tile.kernel_w, tile.stride_w, 1};
        shape.height = {tile.out_h, tile.kernel_h, tile.stride_h, 1};
        MapOptions options;
        options.objective = {.kind = ObjectiveKind::latency};
        const LayerAnswer answer = map_layer({convolution(shape), small_machine(), {}}, options);
        ASSERT_TRUE(answer.search->proven);
        EXPECT_EQ(latency.cycles(tile), answer.evaluation->cycles);
        EXPECT_LE(latency.at_least(tile), latency.cycles(tile));
    }
}

TEST(TileLatencies, CountTheWordsOfTheTile) {
    Architecture core = small_machine();
    core.memories.front().read_words_per_cycle = core.memories.front().write_words_per_cycle = 0.5;
    const TileLatency latency(core, [](const Einsum&) { return Constraints{}; });
    schedule::TileShape tile{4, 4, 4, 4, 3, 3};
    const std::int64_t usual = latency.cycles(tile);
    tile.bits = {64, 64, 64, 64};
    const std::int64_t wide = latency.cycles(tile);
    EXPECT_GT(wide, usual);
    tile.bits = {64, 64, 16, 64};
    Convolution shape{.in_channels = 4, .out_channels = 4, .width = {4, 3, 1, 1}, .height = {4, 3, 1, 1}};
    LayerProblem problem{convolution(shape), core, {}};
    problem.words.partial_bits.assign(problem.einsum.tensors.size(), 0);
    for (std::size_t t = 0; t < problem.einsum.tensors.size(); ++t) {
        const bool written = problem.einsum.tensors[t].written;
        problem.einsum.tensors[t].bits = written ? 16 : 64;
        problem.words.partial_bits[t] = written ? 64 : 0;
    }
    MapOptions options;
    options.objective = {.kind = ObjectiveKind::latency};
    EXPECT_EQ(latency.cycles(tile), map_layer(problem, options).evaluation->cycles);
}

TEST(TileLatencies, SayWhichTileHasNoMapping) {
    const TileLatency latency(small_machine(), [](const Einsum& einsum) {
        Constraints no_loops;
        no_loops.levels.resize(small_machine().memories.size());
        for (LevelConstraint& level : no_loops.levels) {
            level.temporal.factors.assign(einsum.dimensions.size(), FactorConstraint{1, 1, std::nullopt});
            level.spatial.factors = level.temporal.factors;
        }
        return no_loops;
    });
    try {
        latency.cycles({2, 2, 2, 2, 1, 1});
        FAIL() << "no error";
    } catch (const InputError& error) {
        EXPECT_THAT(error.message(), HasSubstr("a tile of 2 x 2 outputs, 2 input and 2 output channels, kernel 1 x 1"));
    }
}

TEST(Machines, ByNameBringTheirConstraints) {
    const Machine eyeriss = Machine::named("eyeriss");
    const LayerProblem problem = layer_problem(conv2d(16, 16, 8, 3), eyeriss);
    EXPECT_NE(problem.constraints, Constraints{});
    const LayerAnswer answer = map_layer(problem);
    ASSERT_TRUE(answer.mapping);
    EXPECT_TRUE(check(problem.einsum, eyeriss.architecture(), *answer.mapping).empty());
    const NetworkProblem network = network_problem(two_shapes_in_three_layers(), eyeriss);
    EXPECT_EQ(network.shapes.front().layer.constraints, eyeriss.constraints()(network.shapes.front().layer.einsum));
    EXPECT_THROW(Machine::named("eyeris"), InputError);
}

TEST(Machines, InFilesBringTheirLayerAndMapping) {
    const Machine machine = Machine::read({"examples/eyeriss_like/arch.yaml", "examples/eyeriss_like/problem.yaml",
                                           "examples/eyeriss_like/mapping.yaml"});
    const Einsum layer = machine.problem();
    const Mapping mapping = machine.mapping(layer);
    EXPECT_TRUE(check(layer, machine.architecture(), mapping).empty());
    EXPECT_GT(evaluate(layer, machine.architecture(), mapping).energy_pj, 0.0);
    const LayerAnswer best = map_layer(layer_problem(layer, machine));
    EXPECT_LE(best.evaluation->edp_pj_cycles(), evaluate(layer, machine.architecture(), mapping).edp_pj_cycles());
    EXPECT_THAT(mapping_yaml(*best.mapping, layer, machine.architecture()), HasSubstr("mapping"));
}

class Caches : public testing::Test {
   protected:
    const std::filesystem::path folder_ =
        std::filesystem::temp_directory_path() /
        ("tilewright_run_test_" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
    void SetUp() override { std::filesystem::remove_all(folder_); }
    void TearDown() override { std::filesystem::remove_all(folder_); }
};

TEST_F(Caches, GiveWhatWasAnsweredBefore) {
    const LayerProblem problem = small_problem();
    for (const ObjectiveKind kind : {ObjectiveKind::edp, ObjectiveKind::pareto}) {
        MapOptions options;
        options.objective = {.kind = kind};
        const LayerAnswer answer = map_layer(problem, options);
        for (const bool memory : {true, false}) {
            AnswerCache cache({.directory = folder_, .memory = memory});
            EXPECT_EQ(cache.find(problem, options).has_value(), kind == ObjectiveKind::edp && !memory);
            cache.keep(problem, options, answer);
            const std::optional<LayerAnswer> found = cache.find(problem, options);
            ASSERT_TRUE(found);
            expect_equal(*found, answer);
            if (memory && kind == ObjectiveKind::edp) continue;
            std::filesystem::remove_all(folder_);
        }
    }
}

TEST_F(Caches, KeepNothingThatWasStoppedOrThatOtherOptionsWouldAnswer) {
    const LayerProblem problem = small_problem();
    MapOptions options;
    options.mapper = MapperKind::hybrid;
    options.evaluations = 500;
    const LayerAnswer answer = map_layer(problem, options);
    AnswerCache cache;
    cache.keep(problem, options, answer, false);
    EXPECT_FALSE(cache.find(problem, options));
    cache.keep(problem, options, answer);
    EXPECT_TRUE(cache.find(problem, options));
    int others = 0;
    const auto expect_unknown = [&](const auto& change) {
        MapOptions other = options;
        change(other);
        EXPECT_FALSE(cache.find(problem, other)) << others;
        ++others;
    };
    expect_unknown([](MapOptions& o) { o.seed = 2; });
    expect_unknown([](MapOptions& o) { o.mapper = MapperKind::random; });
    expect_unknown([](MapOptions& o) { o.evaluations = 501; });
    expect_unknown([](MapOptions& o) { o.victory = 3; });
    expect_unknown([](MapOptions& o) { o.objective.kind = ObjectiveKind::energy; });
    expect_unknown([](MapOptions& o) { o.factors = FactorRule::ruby; });
    expect_unknown([](MapOptions& o) { o.optimal_after_failure = true; });
    expect_unknown([](MapOptions& o) { o.largest_space = 7; });
    expect_unknown([](MapOptions& o) { o.streams = 2; });
    expect_unknown([](MapOptions& o) { o.timeout = 2; });
    EXPECT_EQ(others, 10);
    options.time_limit_seconds = 100.0;  // the answer of a search that ended by itself
    EXPECT_TRUE(cache.find(problem, options));
    options.time_limit_seconds.reset();
    options.threads = 3;  // does not change the answer
    EXPECT_TRUE(cache.find(problem, options));
    LayerProblem larger = problem;
    larger.architecture.memories.front().energy.read_pj.value = 201.0;
    EXPECT_FALSE(cache.find(larger, options));
}

TEST_F(Caches, ServeSeveralThreadsAtOnce) {
    const NetworkProblem problem = network_problem(two_shapes_in_three_layers(), small_machine());
    const NetworkAnswer alone = map_network(problem);
    AnswerCache cache({.directory = folder_});
    std::vector<NetworkAnswer> answers(4);
    std::vector<std::thread> threads;
    for (NetworkAnswer& answer : answers)
        threads.emplace_back([&] { answer = map_network(problem, {}, {.cache = &cache}); });
    for (std::thread& thread : threads) thread.join();
    for (const NetworkAnswer& answer : answers)
        for (std::size_t i = 0; i < alone.layers.size(); ++i) expect_equal(answer.layers[i], alone.layers[i]);
    map_network(problem, {}, {.cache = &cache});
    EXPECT_GE(cache.found(), 2);
}

// Layers on a machine whose outermost memory is slow in the simulation and not in the model.
struct Refined {
    Network network = two_shapes_in_three_layers();
    NetworkProblem problem = network_problem(network, small_machine());
    RefineOptions options;

    Refined() {
        options.floor = sim::floor_of(small_machine());
        options.machine.flit_bits = 16;
        options.candidates = 10;
    }
};

TEST(Refine, TakesTheBestByTheSimulationAndTakesTheProofBack) {
    int replaced = 0;
    int kept = 0;
    for (const ObjectiveKind kind : {ObjectiveKind::edp, ObjectiveKind::latency, ObjectiveKind::energy}) {
        Refined one;
        one.options.map.objective = {.kind = kind};
        NetworkAnswer answer = map_network(one.problem, one.options.map);
        const NetworkAnswer before = answer;
        const auto refined = refine(one.problem, one.options, answer);
        ASSERT_EQ(refined.size(), answer.layers.size());
        for (std::size_t i = 0; i < refined.size(); ++i) {
            const report::Refinement& layer = refined[i].value();
            const LayerAnswer& now = answer.layers[i];
            EXPECT_EQ(layer.candidates[0].mapping, *before.layers[i].mapping);
            EXPECT_EQ(layer.candidates[layer.choice].mapping, *now.mapping);
            EXPECT_EQ(layer.candidates[layer.choice].cycles, now.evaluation->cycles);
            const auto score = [&](const report::RefinedCandidate& candidate) {
                return one.options.map.objective.score(candidate.energy_pj, candidate.simulated_cycles.value());
            };
            for (const report::RefinedCandidate& candidate : layer.candidates) {
                if (!candidate.simulated_cycles) continue;
                EXPECT_LE(score(layer.candidates[layer.choice]), score(candidate));
            }
            EXPECT_TRUE(before.layers[i].search->proven);
            EXPECT_EQ(now.search->proven, layer.choice == 0) << "what a simulation chose is not proven";
            (layer.choice == 0 ? kept : replaced) += 1;
            EXPECT_THAT(now.search->claim, StartsWith(layer.choice == 0 ? "proven optimal" : "the best of "));
        }
    }
    EXPECT_GE(replaced, 1);
    EXPECT_GE(kept, 1);
}

// Runs are cut where they cannot win any more: those that were cut would not have been chosen.
TEST(Refine, WhatIsCutWouldNotHaveWon) {
    const Refined one;
    NetworkAnswer answer = map_network(one.problem, one.options.map);
    int cut = 0;
    const auto refined = refine(one.problem, one.options, answer);
    for (std::size_t i = 0; i < refined.size(); ++i) {
        for (const report::RefinedCandidate& candidate : refined[i]->candidates) {
            if (candidate.simulated_cycles) continue;
            ++cut;
            const auto whole = simulate_layers({{{"whole"}, 1, answer.layers[i].einsum, candidate.mapping}},
                                               small_machine(), one.options.floor, one.options.machine);
            ASSERT_EQ(whole[0].failure, "");
            const report::RefinedCandidate& own = refined[i]->candidates[0];
            EXPECT_GT(candidate.energy_pj * static_cast<double>(whole[0].result.cycles),
                      own.energy_pj * static_cast<double>(*own.simulated_cycles));
        }
    }
    EXPECT_GE(cut, 1);
}

TEST(Simulate, HasTheSameLimitOfThreadsAsSearches) {
    SimulationControl control;
    control.threads = 100000;
    EXPECT_THROW(simulate_schedules({}, {}, control), InputError);
    EXPECT_THROW(simulate_layers({}, Machine::named("eyeriss").architecture(), {}, {}, control), InputError);
    MapOptions options;
    options.threads = 100000;
    EXPECT_EQ(problem_with(options), "threads are 0 (all there are) to 1024, not 100000");
}

TEST(Refine, AStopLeavesTheSearchsAnswer) {
    const Refined one;
    NetworkAnswer answer = map_network(one.problem, one.options.map);
    const NetworkAnswer before = answer;
    StopSource stop;
    stop.request();
    SimulationControl control;
    control.stop = &stop;
    for (const auto& refined : refine(one.problem, one.options, answer, control)) {
        EXPECT_FALSE(refined->is_simulated());
        EXPECT_THAT(refined->candidates[0].failure, HasSubstr("interrupted"));
    }
    for (std::size_t i = 0; i < answer.layers.size(); ++i) expect_equal(answer.layers[i], before.layers[i]);
}

}  // namespace
}  // namespace tilewright::run_test
