// Small layers on the simulated machine: conservation, bounds, monotonicity in resources.
#include "sim/machine/replay.hpp"

#include <gtest/gtest.h>

#include "model/exact/model.hpp"
#include "sim/dram/load.hpp"
#include "workload/einsum_text.hpp"

namespace tilewright::sim::machine_replay_test {
namespace {

/// A memory, a buffer, sixteen elements with a memory each.
Architecture small_machine(double multiple_buffering = 2.0) {
    Architecture machine;
    machine.name = "small";
    const auto memory = [&](const char* name) {
        tilewright::Memory one;
        one.name = name;
        one.word_bits = 8;
        one.multiple_buffering = multiple_buffering;
        return one;
    };
    tilewright::Memory dram = memory("DRAM");
    dram.is_dram = true;
    dram.shared_words_per_cycle = 16.0;
    tilewright::Memory buffer = memory("Buffer");
    buffer.capacity_words = 65536;
    buffer.read_words_per_cycle = 32.0;
    tilewright::Memory local = memory("Local");
    local.capacity_words = 4096;
    local.instances = 16;
    local.mesh = {4, 4};
    machine.memories = {dram, buffer, local};
    machine.compute.instances = 16;
    machine.compute.mesh = {4, 4};
    return machine;
}

/// A matrix product with K across x, N across y; C in steps at the buffer.
struct Case {
    Einsum einsum = parse_einsum("O[n,k] += W[k,c] * I[n,c]", {{"n", 32}, {"k", 32}, {"c", 64}});
    Architecture machine = small_machine();
    Mapping mapping;

    explicit Case(std::int64_t outer = 4) {
        const int n = find_dimension(einsum, "n");
        const int k = find_dimension(einsum, "k");
        const int c = find_dimension(einsum, "c");
        einsum.dimensions[n].extent = 8 * outer;
        const auto loop = [](int d, std::int64_t extent, LoopKind kind = LoopKind::temporal) {
            return Loop{d, extent, extent, kind};
        };
        const TensorSet all = TensorSet::all(einsum.tensor_count());
        mapping = mapping_of(
            {{all, {loop(n, outer)}, {}},
             {all, {loop(k, 2), loop(c, 8)}, {loop(k, 4, LoopKind::spatial_x), loop(n, 4, LoopKind::spatial_y)}},
             {all, {loop(k, 4), loop(n, 2), loop(c, 8)}, {}}});
    }

    ReplayResult run(const MachineOptions& options = {}, const ReplayControl& control = {}) const {
        const Evaluation evaluation = evaluate(einsum, machine, mapping);
        return replay(einsum, machine, program_of(einsum, machine, mapping), evaluation, options, control);
    }
};

TEST(Replay, IsNeverFasterThanTheModel) {
    const Case one;
    const ReplayResult result = one.run();
    const Evaluation evaluation = evaluate(one.einsum, one.machine, one.mapping);
    EXPECT_EQ(result.steps_done, result.steps);
    EXPECT_GE(result.cycles, evaluation.compute_cycles);
    EXPECT_EQ(result.elements.computing, evaluation.compute_cycles * 16);
    EXPECT_EQ(result.elements.waiting_for_others, 0);
    EXPECT_EQ(result.elements.computing + result.elements.waiting_for_words + result.elements.other,
              result.cycles * 16);
}

TEST(Replay, TheSameTwice) {
    const Case one;
    MachineOptions options;
    options.dram = dram::device_named("ddr4-2400");
    const ReplayResult a = one.run(options);
    const ReplayResult b = one.run(options);
    EXPECT_EQ(a.cycles, b.cycles);
    EXPECT_EQ(a.flits, b.flits);
    EXPECT_EQ(a.dram.commands, b.dram.commands);
}

TEST(Replay, SimulatesTheDram) {
    const Case one;
    MachineOptions options;
    options.dram = dram::device_named("ddr3-1600");
    const ReplayResult result = one.run(options);
    const Evaluation evaluation = evaluate(one.einsum, one.machine, one.mapping);
    double read = 0.0;
    double written = 0.0;
    for (const TensorTraffic& tensor : evaluation.memories.front().tensors) {
        read += tensor.reads;
        written += tensor.updates;
    }
    // Accesses of 64 bytes hold 64 words; every transfer is rounded up.
    EXPECT_GE(result.dram_reads * 64, static_cast<std::int64_t>(read));
    EXPECT_GE(result.dram_writes * 64, static_cast<std::int64_t>(written));
    EXPECT_GT(result.dram_energy_pj.value(), 0.0);
    EXPECT_EQ(result.dram.of(dram::Command::write), result.dram_writes);
}

TEST(Replay, ARepeatingRunIsExtrapolatedToTheFullOne) {
    for (const std::int64_t outer : {203}) {
        const Case one(outer);
        MachineOptions options;
        const ReplayResult quick = one.run(options);
        options.detect_steady_state = false;
        const ReplayResult full = one.run(options);
        EXPECT_TRUE(quick.extrapolated);
        EXPECT_FALSE(full.extrapolated);
        EXPECT_EQ(quick.cycles, full.cycles) << outer;
        EXPECT_EQ(quick.flits, full.flits);
        EXPECT_EQ(quick.packets, full.packets);
        EXPECT_EQ(quick.elements.computing, full.elements.computing);
        EXPECT_EQ(quick.elements.waiting_for_words, full.elements.waiting_for_words);
        EXPECT_EQ(quick.elements.waits, full.elements.waits);
        EXPECT_EQ(quick.elements.filling, full.elements.filling);
        EXPECT_EQ(quick.draining, full.draining);
        EXPECT_LT(quick.simulated_cycles, full.cycles);
    }
}

TEST(Replay, MoreIsNotSlower) {
    const Case one;
    MachineOptions narrow;
    narrow.flit_bits = 32;
    MachineOptions wide;
    wide.flit_bits = 128;
    EXPECT_GE(one.run(narrow).cycles, one.run().cycles);
    EXPECT_GE(one.run().cycles, one.run(wide).cycles);
    Case single;
    for (tilewright::Memory& memory : single.machine.memories) {
        memory.multiple_buffering = 1.0;
        if (memory.capacity_words) memory.capacity_words = 1;
    }
    single.machine.memories[1].capacity_words = 3000;
    single.machine.memories[2].capacity_words = 90;
    EXPECT_GE(single.run().cycles, one.run().cycles);
}

// C over the array rows: four elements share every result.
TEST(Replay, RoutersAddUpWhatAChainOfElementsDoes) {
    Case one;
    const int n = find_dimension(one.einsum, "n");
    const int k = find_dimension(one.einsum, "k");
    const int c = find_dimension(one.einsum, "c");
    const TensorSet all = TensorSet::all(one.einsum.tensor_count());
    const auto loop = [](int d, std::int64_t extent, LoopKind kind = LoopKind::temporal) {
        return Loop{d, extent, extent, kind};
    };
    one.mapping =
        mapping_of({{all, {loop(n, 4)}, {}},
                    {all, {loop(k, 2), loop(c, 4)}, {loop(k, 4, LoopKind::spatial_x), loop(c, 4, LoopKind::spatial_y)}},
                    {all, {loop(k, 4), loop(n, 8), loop(c, 4)}, {}}});
    const ReplayResult chain = one.run();
    MachineOptions options;
    options.reduce_in_network = true;
    const ReplayResult tree = one.run(options);
    EXPECT_EQ(tree.steps_done, chain.steps_done);
    EXPECT_EQ(tree.elements.computing, chain.elements.computing);
    EXPECT_EQ(tree.dram_writes, chain.dram_writes);
    EXPECT_LE(tree.cycles, chain.cycles);
    // One step, its results all remaining at the end.
    one.einsum.dimensions[n].extent = 8;
    one.mapping = mapping_of({{all, {}, {}},
                              {all, {}, {loop(k, 4, LoopKind::spatial_x), loop(c, 4, LoopKind::spatial_y)}},
                              {all, {loop(k, 8), loop(n, 8), loop(c, 16)}, {}}});
    EXPECT_LT(one.run(options).draining, one.run().draining);
}

TEST(Replay, BanksMoveTheSameWords) {
    const Case one;
    const ReplayResult without = one.run();
    MachineOptions options;
    std::int64_t conflicts = 0;
    for (const int banks : {1, 2, 3, 8}) {
        options.banks = banks;
        const ReplayResult with = one.run(options);
        EXPECT_EQ(with.packets, without.packets);
        EXPECT_EQ(with.flits, without.flits);
        EXPECT_EQ(with.elements.computing, without.elements.computing);
        EXPECT_GE(with.cycles, without.cycles);
        conflicts += with.bank_conflicts;
    }
    EXPECT_GT(conflicts, 0);
}

TEST(Replay, StopsWhenTold) {
    const Case one;
    StopSource stop;
    stop.request();
    const ReplayResult result = one.run({}, {.stop = &stop, .trace = false, .progress = {}});
    EXPECT_TRUE(result.interrupted);
    EXPECT_LT(result.steps_done, result.steps);
}

TEST(Replay, ARunOfNoInterestIsCut) {
    const Case one;
    MachineOptions whole;
    whole.detect_steady_state = false;
    const Cycle cycles = one.run(whole).cycles;
    const ReplayResult cut =
        one.run(whole, {.stop = nullptr, .trace = false, .progress = {}, .most_cycles = cycles / 4});
    EXPECT_TRUE(cut.interrupted);
    EXPECT_GT(cut.cycles, cycles / 4);
    EXPECT_LT(cut.cycles, cycles);
    const ReplayResult same = one.run(whole, {.stop = nullptr, .trace = false, .progress = {}, .most_cycles = cycles});
    EXPECT_FALSE(same.interrupted);
    EXPECT_EQ(same.cycles, cycles);
}

TEST(Replay, TracesWhatHappens) {
    const Case one;
    const ReplayResult result = one.run({}, {.stop = nullptr, .trace = true, .progress = {}});
    EXPECT_FALSE(result.trace.empty());
    EXPECT_TRUE(result.trace_complete);
    for (const TraceEvent& event : result.trace) {
        EXPECT_LE(event.begin, event.end);
        EXPECT_LE(event.end, result.cycles);
    }
}

TEST(Replay, RefusesMachinesThatCannotBe) {
    EXPECT_EQ(problem_with(MachineOptions{}), "");
    MachineOptions options;
    options.flit_bits = 0;
    EXPECT_NE(problem_with(options), "");
    options = {};
    options.packet_flits = 1;
    EXPECT_NE(problem_with(options), "");
    options = {};
    options.banks = -1;
    EXPECT_NE(problem_with(options), "");
    options = {};
    options.packet_flits = 9;
    EXPECT_NE(problem_with(options), "");
}

}  // namespace
}  // namespace tilewright::sim::machine_replay_test
