// Every term of a simulated run can be the most underestimated, and is then named; none if the run equals the model.
#include "report/simulation/terms.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "model/exact/model.hpp"
#include "schedule/schedulers/list_scheduler.hpp"
#include "sim/dram/load.hpp"
#include "workload/einsum_text.hpp"

namespace tilewright::report::terms_test {
namespace {

using sim::Wait;

double sum_of(const std::vector<Term>& terms, double Term::* which) {
    return std::accumulate(terms.begin(), terms.end(), 0.0,
                           [&](double sum, const Term& term) { return sum + term.*which; });
}

std::string name_of(const std::optional<Term>& term) { return term ? term->name : "none"; }

// ---- counts as they might be

/// 1000 cycles in the model, all of them computing, on two elements.
SimulatedLayer counted() {
    SimulatedLayer layer;
    layer.evaluation.compute_cycles = layer.evaluation.cycles = 1000;
    layer.evaluation.memories.resize(3);
    const char* const names[] = {"DRAM", "Buffer", "Local"};
    for (std::size_t m = 0; m < 3; ++m) {
        layer.evaluation.memories[m].name = names[m];
        layer.evaluation.memories[m].cycles = 1000;
    }
    layer.floor.element = 2;
    layer.result.elements.working = 2;
    layer.result.elements.computing = 2000;
    layer.result.cycles = 1000;
    return layer;
}

/// The same, with cycles of waiting.
SimulatedLayer waiting(Wait why, std::int64_t cycles) {
    SimulatedLayer layer = counted();
    layer.result.elements.waits[static_cast<std::size_t>(why)] = 2 * cycles;
    layer.result.cycles += cycles;
    return layer;
}

void expect_named(const SimulatedLayer& layer, const std::string& name) {
    const std::vector<Term> terms = terms_of(layer);
    EXPECT_EQ(name_of(underestimated(terms)), name);
    EXPECT_DOUBLE_EQ(sum_of(terms, &Term::simulated_cycles), static_cast<double>(layer.result.cycles));
    EXPECT_DOUBLE_EQ(sum_of(terms, &Term::model_cycles), static_cast<double>(layer.evaluation.cycles));
}

TEST(Terms, NoneIsNamedWhereTheRunTakesWhatTheModelSays) {
    expect_named(counted(), "none");
    expect_named(waiting(Wait::links, 10), "none");
}

TEST(Terms, WhatWordsWaitForIsNamed) {
    expect_named(waiting(Wait::outermost, 100), "DRAM bandwidth");
    expect_named(waiting(Wait::memories, 100), "inner memory bandwidth");
    expect_named(waiting(Wait::links, 100), "links");
    expect_named(waiting(Wait::room, 100), "room for the next tile");
    expect_named(waiting(Wait::sums, 100), "partial sums");
    expect_named(waiting(Wait::flight, 100), "network latency");
}

TEST(Terms, BeginningAndEndAreNamed) {
    SimulatedLayer layer = counted();
    layer.result.elements.filling = 400;
    layer.result.cycles += 200;
    expect_named(layer, "filling");
    layer = counted();
    layer.result.draining = 200;
    layer.result.cycles += 200;
    expect_named(layer, "draining");
}

TEST(Terms, ComputingIsNamed) {
    SimulatedLayer layer = counted();
    layer.result.elements.computing += 400;
    layer.result.cycles += 200;
    expect_named(layer, "computing");
}

// Elements without work while others compute; the model has all of them compute as long as any.
TEST(Terms, WaitingForOthersIsNamedWhereTheModelHasLessOfIt) {
    SimulatedLayer layer = counted();
    layer.result.cycles += 200;
    expect_named(layer, "waiting for others");
    layer = counted();
    layer.result.elements.computing = 1500;
    expect_named(layer, "none");
    layer.result.cycles += 200;
    expect_named(layer, "waiting for others");
}

TEST(Terms, ADramIsNamedByWhatItsClocksWentTo) {
    const std::pair<sim::dram::Lost, const char*> all[] = {{sim::dram::Lost::refresh, "DRAM refresh"},
                                                           {sim::dram::Lost::rows, "DRAM row changes"},
                                                           {sim::dram::Lost::turnaround, "DRAM turnaround"},
                                                           {sim::dram::Lost::spacing, "DRAM command spacing"}};
    for (const auto& [lost, name] : all) {
        SimulatedLayer layer = waiting(Wait::outermost, 1000);
        layer.result.dram.busy = 100;
        layer.result.dram.lost[static_cast<std::size_t>(lost)] = 200;
        expect_named(layer, name);
        layer.result.dram.busy = 1000;
        expect_named(layer, "DRAM bandwidth");
    }
}

// The model knows that the memory is slow: waiting for it is no surprise.
TEST(Terms, WhatTheModelKnowsIsNotNamed) {
    SimulatedLayer layer = waiting(Wait::outermost, 1000);
    layer.evaluation.cycles = 2000;
    layer.evaluation.bounding_memory = 0;
    layer.evaluation.memories[0].cycles = 2000;
    expect_named(layer, "none");
    layer.result.elements.waits[static_cast<std::size_t>(Wait::links)] = 600;
    layer.result.cycles += 300;
    expect_named(layer, "links");
    SimulatedLayer inner = waiting(Wait::memories, 1000);
    inner.evaluation.cycles = 2000;
    inner.evaluation.bounding_memory = 1;
    inner.evaluation.memories[1].cycles = 2000;
    expect_named(inner, "none");
    inner.result.elements.waits[static_cast<std::size_t>(Wait::memories)] = 4000;
    inner.result.cycles += 1000;
    expect_named(inner, "Buffer bandwidth");
}

// ---- runs

/// A memory, a buffer, sixteen elements with a memory each; a matrix product with K across x and N across y.
struct Small {
    Einsum einsum = parse_einsum("O[n,k] += W[k,c] * I[n,c]", {{"n", 32}, {"k", 32}, {"c", 512}});
    Architecture machine;
    Mapping mapping;
    sim::MachineOptions options;

    Small() {
        machine.name = "small";
        for (const char* const name : {"DRAM", "Buffer", "Local"}) {
            Memory memory;
            memory.name = name;
            memory.word_bits = 8;
            memory.multiple_buffering = 2.0;
            machine.memories.push_back(memory);
        }
        machine.memories[0].is_dram = true;
        machine.memories[0].shared_words_per_cycle = 64.0;
        machine.memories[1].capacity_words = 65536;
        machine.memories[2].capacity_words = 4096;
        machine.memories[2].instances = machine.compute.instances = 16;
        machine.memories[2].mesh = machine.compute.mesh = {4, 4};
        const auto loop = [&](const char* d, std::int64_t extent, LoopKind kind = LoopKind::temporal) {
            return Loop{find_dimension(einsum, d), extent, extent, kind};
        };
        const TensorSet all = TensorSet::all(einsum.tensor_count());
        mapping = mapping_of({{all, {loop("c", 16)}, {}},
                              {all, {}, {loop("k", 4, LoopKind::spatial_x), loop("n", 4, LoopKind::spatial_y)}},
                              {all, {loop("n", 8), loop("k", 8), loop("c", 32)}, {}}});
        options.flit_bits = 512;
    }

    SimulatedLayer run() const {
        SimulatedLayer layer;
        layer.einsum = einsum;
        layer.evaluation = evaluate(einsum, machine, mapping);
        const sim::Program program = sim::program_of(einsum, machine, mapping);
        layer.floor = program.floor;
        layer.result = sim::replay(einsum, machine, program, layer.evaluation, options);
        return layer;
    }
};

void expect_run_named(const Small& small, const std::string& name) {
    const SimulatedLayer layer = small.run();
    const std::vector<Term> terms = terms_of(layer);
    std::string text;
    for (const Term& term : terms)
        text +=
            term.name + " " + std::to_string(term.model_cycles) + " " + std::to_string(term.simulated_cycles) + "\n";
    EXPECT_EQ(name_of(underestimated(terms)), name) << text;
    EXPECT_NEAR(sum_of(terms, &Term::simulated_cycles), static_cast<double>(layer.result.cycles), 1e-6);
    EXPECT_NEAR(sum_of(terms, &Term::model_cycles), static_cast<double>(layer.evaluation.cycles), 1e-6);
    for (const Term& term : terms) EXPECT_GE(term.simulated_cycles, -1e-6) << term.name;
}

TEST(TermsOfRuns, WideLinksAndMemoriesTakeWhatTheModelSays) { expect_run_named(Small(), "none"); }

TEST(TermsOfRuns, NarrowLinks) {
    Small small;
    small.options.flit_bits = 2;
    expect_run_named(small, "links");
}

// Words admitted only after their predecessors' use arrive while no unit computes.
TEST(TermsOfRuns, NoRoomForASecondTile) {
    Small small;
    small.options.flit_bits = 64;
    const auto cycles = [&](const std::string& name) {
        for (const Term& term : terms_of(small.run()))
            if (term.name == name) return term.simulated_cycles;
        return -1.0;
    };
    EXPECT_EQ(cycles("room for the next tile"), 0.0);
    const double links = cycles("links");
    for (Memory& memory : small.machine.memories) memory.multiple_buffering = 1.0;
    small.machine.memories[1].capacity_words = 2500;
    small.machine.memories[2].capacity_words = 600;
    EXPECT_GT(cycles("room for the next tile"), 1000.0);
    EXPECT_GT(cycles("links"), links + 1000.0);
}

// Of six blocks of rows four are computed at once, then two: half of the elements sit out every other step.
TEST(TermsOfRuns, ElementsThatSitOutStepsWaitForOthers) {
    Small small;
    for (Dimension& dimension : small.einsum.dimensions)
        if (dimension.name == "n") dimension.extent = 48;
    const int n = find_dimension(small.einsum, "n");
    const auto blocks = [&](std::int64_t extent, std::int64_t remainder, LoopKind kind) {
        return Loop{n, extent, remainder, kind};
    };
    const auto loop = [&](const char* d, std::int64_t extent, LoopKind kind = LoopKind::temporal) {
        return Loop{find_dimension(small.einsum, d), extent, extent, kind};
    };
    const TensorSet all = TensorSet::all(small.einsum.tensor_count());
    small.mapping = mapping_of({{all, {loop("c", 16), blocks(2, 2, LoopKind::temporal)}, {}},
                                {all, {}, {loop("k", 4, LoopKind::spatial_x), blocks(4, 2, LoopKind::spatial_y)}},
                                {all, {loop("n", 8), loop("k", 8), loop("c", 32)}, {}}});
    const SimulatedLayer layer = small.run();
    const sim::ElementTime& time = layer.result.elements;
    // 32 steps of 2048 cycles; half of the elements compute in 16 of them.
    EXPECT_EQ(time.computing, 2048 * (8 * 32 + 8 * 16));
    EXPECT_GT(time.waiting_for_others, 0);
    EXPECT_EQ(time.computing + time.waiting_for_words + time.waiting_for_others + time.other, layer.result.cycles * 16);
    double uneven = 0.0;
    for (const Term& term : terms_of(layer))
        if (term.name == "waiting for others") uneven = term.simulated_cycles;
    EXPECT_NEAR(uneven, 2048.0 * 8.0, 0.1 * 2048.0 * 8.0);
    expect_run_named(small, "none");
}

TEST(TermsOfRuns, ADramThatIsSlowerThanTheMachineSays) {
    Small small;
    small.machine.cycle_seconds = 0.01e-9;
    small.options.dram = sim::dram::device_named("ddr2-667").value();
    expect_run_named(small, "DRAM bandwidth");
    small.options.dram->organisation.columns = 8;  // a row for every access
    small.options.dram->organisation.banks = 1;
    expect_run_named(small, "DRAM row changes");
}

// ---- schedules, from counts as they might be

constexpr std::int64_t kTransfers = 10;

/// Ten reads of 640 bytes, 20 cycles each on a channel; the memory takes 1000 cycles more.
ReplayedLayer replayed() {
    ReplayedLayer layer;
    layer.problem.machine = {"one core", 1, 1 << 16, 1, 32, {1, 1, 1, 4}, {16, 16, 0}};
    layer.scheduled_cycles = layer.result.ideal_cycles = 20 * kTransfers;
    layer.result.ideal_path.moving = layer.result.path.moving = 20 * kTransfers;
    layer.result.path.memory = 1000;
    layer.result.cycles = layer.result.channel_cycles = 20 * kTransfers + 1000;
    for (std::int64_t i = 0; i < kTransfers; ++i) layer.result.schedule.transfers.push_back({.bytes = 640});
    layer.result.dram_reads = 10 * kTransfers;  // of 64 bytes
    return layer;
}

std::string named(const ReplayedLayer& layer) {
    sim::npu::ReplayOptions options;
    options.dram = sim::dram::device_named("ddr4-2400").value();
    options.clock_ghz = 1000.0 / static_cast<double>(options.dram->timing.clock_ps);  // a cycle is a clock of the DRAM
    const std::vector<Term> terms = terms_of(layer, options);
    EXPECT_NEAR(sum_of(terms, &Term::simulated_cycles), static_cast<double>(layer.result.cycles), 1e-6);
    EXPECT_NEAR(sum_of(terms, &Term::model_cycles), static_cast<double>(layer.scheduled_cycles), 1e-6);
    return name_of(underestimated(terms));
}

TEST(TermsOfCountedSchedules, EveryPartOfTheMemorysTimeCanBeNamed) {
    ReplayedLayer layer = replayed();
    layer.result.dram.busy = 20 * kTransfers;
    EXPECT_EQ(named(layer), "DDR4-2400 latency");  // nothing kept the memory busy beyond the channel's words
    layer.result.dram.busy = 1000;
    EXPECT_EQ(named(layer), "DDR4-2400 bandwidth");
    layer.result.dram_reads *= 4;  // three of four bytes are not needed
    EXPECT_EQ(named(layer), "DDR4-2400 bytes beside those wanted");
    const std::pair<sim::dram::Lost, const char*> all[] = {{sim::dram::Lost::refresh, "DDR4-2400 refresh"},
                                                           {sim::dram::Lost::rows, "DDR4-2400 row changes"},
                                                           {sim::dram::Lost::turnaround, "DDR4-2400 turnaround"},
                                                           {sim::dram::Lost::spacing, "DDR4-2400 command spacing"}};
    for (const auto& [lost, name] : all) {
        layer = replayed();
        layer.result.dram.busy = 20 * kTransfers;
        layer.result.dram.lost[static_cast<std::size_t>(lost)] = 600;
        EXPECT_EQ(named(layer), name);
    }
    layer = replayed();
    layer.result.path.memory = 0;
    layer.result.path.draining = 1000;
    EXPECT_EQ(named(layer), "draining");
}

// ---- schedules, replayed

/// A layer on two cores with a DMA channel of 64 bytes a cycle.
schedule::Problem two_cores(const schedule::ConvLayer& layer, const schedule::PerDim& tiling) {
    schedule::Problem problem;
    problem.machine = {"two cores", 2, 1 << 16, 1, 64, {1, 1, 1, 4}, {16, 16, 0}};
    problem.layer = layer;
    problem.tiling = tiling;
    return problem;
}

std::string named_in_replay(const schedule::Problem& problem, const sim::npu::ReplayOptions& options) {
    ReplayedLayer layer;
    layer.problem = problem;
    const schedule::Schedule schedule = list_schedule(make_graph(problem), {});
    layer.scheduled_cycles = schedule.latency_cycles;
    layer.result = sim::npu::replay(problem, schedule, options);
    const std::vector<Term> terms = terms_of(layer, options);
    EXPECT_NEAR(sum_of(terms, &Term::simulated_cycles), static_cast<double>(layer.result.cycles), 1e-6);
    EXPECT_NEAR(sum_of(terms, &Term::model_cycles), static_cast<double>(layer.scheduled_cycles), 1e-6);
    return name_of(underestimated(terms));
}

// A transfer is a single access: a channel waits for it and does nothing else.
TEST(TermsOfSchedules, TransfersOfOneAccessWaitForIt) {
    sim::npu::ReplayOptions options;
    options.layout = sim::npu::Layout::tiles;
    options.dram = sim::dram::device_named("ddr4-3200").value();
    options.dram->timing.read = 200;  // it is far away
    const schedule::ConvLayer pointwise{{.out_w = 8, .out_h = 8, .in_c = 64, .out_c = 8}};
    EXPECT_EQ(named_in_replay(two_cores(pointwise, {{1, 1, 64, 1}}), options), "DDR4-3200 latency");
}

// A tile has 4 of 64 channels, adjacent: 4 of each 64 bytes read are needed.
TEST(TermsOfSchedules, ThinTilesReadMoreThanTheyWant) {
    sim::npu::ReplayOptions options;
    options.dram = sim::dram::device_named("ddr2-667").value();
    const schedule::ConvLayer layer{{.out_w = 16, .out_h = 16, .in_c = 64, .out_c = 64, .kernel_w = 3, .kernel_h = 3}};
    EXPECT_EQ(named_in_replay(two_cores(layer, {{8, 8, 4, 32}}), options), "DDR2-667 bytes beside those wanted");
    options.layout = sim::npu::Layout::tiles;
    EXPECT_EQ(named_in_replay(two_cores(layer, {{8, 8, 4, 32}}), options), "DDR2-667 bandwidth");
}

TEST(TermsOfSchedules, AddUpAndNameTheMemory) {
    const schedule::Problem problem = two_cores(
        {{.out_w = 16, .out_h = 16, .in_c = 64, .out_c = 64, .kernel_w = 3, .kernel_h = 3}}, {{8, 8, 32, 32}});
    const auto named = [&](const sim::npu::ReplayOptions& options) { return named_in_replay(problem, options); };
    sim::npu::ReplayOptions options;
    EXPECT_EQ(named(options), "none");
    options.dram = sim::dram::device_named("ddr2-667").value();
    EXPECT_EQ(named(options), "DDR2-667 bandwidth");
    options.clock_ghz = 0.001;
    EXPECT_EQ(named(options), "none");
    options.clock_ghz = 1.0;
    options.dram->organisation.columns = 8;
    options.dram->organisation.banks = 1;
    EXPECT_EQ(named(options), "DDR2-667 row changes");
}

}  // namespace
}  // namespace tilewright::report::terms_test
