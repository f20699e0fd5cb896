// The program of the simulated machine moves the words that the cost model counts.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "anomaly.hpp"
#include "model/exact/model.hpp"
#include "random_nest.hpp"
#include "sim/dram/load.hpp"
#include "sim/machine/program.hpp"
#include "sim/machine/replay.hpp"

namespace tilewright::property {
namespace {

/// Else the tensor passes by a level (docs/model.md, rule 6).
bool is_direct(const sim::Flow& flow) { return flow.inner == flow.outer + 1; }

struct Compared {
    int direct = 0;
    int behind_bypass = 0;
    int equal_behind_bypass = 0;
};

void compare(const Nest& nest, const sim::Program& program, Compared& compared) {
    const Evaluation evaluation = evaluate(nest.einsum, nest.architecture, nest.mapping);
    for (std::size_t f = 0; f < program.flows.size(); ++f) {
        const sim::Flow& flow = program.flows[f];
        const sim::FlowTotals& totals = program.totals[f];
        const TensorTraffic& outer = evaluation.memories[flow.outer].tensors[flow.tensor];
        const bool equal = outer.reads == static_cast<double>(totals.in) &&
                           (!flow.result || outer.updates == static_cast<double>(totals.out));
        if (!is_direct(flow)) {
            ++compared.behind_bypass;
            compared.equal_behind_bypass += equal ? 1 : 0;
            continue;
        }
        ++compared.direct;
        EXPECT_TRUE(equal) << "flow of " << nest.einsum.tensors[flow.tensor].name << " below memory " << flow.outer
                           << ": reads " << totals.in << " instead of " << outer.reads << ", results " << totals.out
                           << " instead of " << outer.updates << "\n"
                           << to_text(nest);
        if (!flow.result && flow.inner < nest.architecture.memory_count()) {
            const TensorTraffic& inner = evaluation.memories[flow.inner].tensors[flow.tensor];
            EXPECT_EQ(inner.fills, static_cast<double>(totals.delivered)) << to_text(nest);
        }
    }
}

/// A step as it does not depend on the numbering of groups and the order of transfers.
using Listed = std::vector<std::tuple<int, int, std::vector<int>, std::int64_t>>;

Listed listed(const sim::Program& program, const sim::Step& step) {
    Listed list{{-1, 0, program.groups[step.working], step.compute_cycles}};
    int part = 0;
    for (const auto* transfers : {&step.loads, &step.sends, &step.drains, &step.stores}) {
        for (const sim::Transfer& t : *transfers) {
            list.emplace_back(part, t.flow, program.groups[t.group], t.words);
        }
        ++part;
    }
    std::sort(list.begin(), list.end());
    return list;
}

void expect_same(const sim::Program& planned, const sim::Program& walked, const Nest& nest) {
    ASSERT_EQ(planned.steps.size(), walked.steps.size()) << to_text(nest);
    EXPECT_EQ(planned.totals, walked.totals) << to_text(nest);
    for (std::size_t s = 0; s < planned.steps.size(); ++s) {
        ASSERT_EQ(listed(planned, planned.kinds[planned.steps[s]]), listed(walked, walked.kinds[walked.steps[s]]))
            << "step " << s << "\n"
            << to_text(nest);
    }
}

TEST(Program, MovesTheWordsThatTheModelCounts) {
    Compared compared;
    for (std::uint64_t seed = 1; seed <= 4000 && !HasFailure(); ++seed) {
        const Nest nest = random_nest(seed, 2000);
        compare(nest, sim::walked_program(nest.einsum, nest.architecture, nest.mapping), compared);
    }
    EXPECT_GE(compared.direct, 15000);
    // All but one of 4,317.
    EXPECT_GE(compared.equal_behind_bypass, compared.behind_bypass * 999 / 1000);
}

TEST(Program, PlanningAndWalkingAgree) {
    int planned = 0;
    for (std::uint64_t seed = 1; seed <= 4000 && !HasFailure(); ++seed) {
        const Nest nest = random_nest(seed, 2000);
        if (!is_perfect(nest.mapping)) continue;
        expect_same(sim::program_of(nest.einsum, nest.architecture, nest.mapping),
                    sim::walked_program(nest.einsum, nest.architecture, nest.mapping), nest);
        ++planned;
    }
    EXPECT_GE(planned, 500);
}

// Whatever the machine and the mapping, the run comes to its end, and its elements compute what the model says.
TEST(Program, RunsToItsEnd) {
    for (std::uint64_t seed = 1; seed <= 400 && !HasFailure(); ++seed) {
        const Nest nest = random_nest(seed, 500);
        sim::MachineOptions options;
        options.router.virtual_channels = 1 + static_cast<int>(seed % 3);
        options.flit_bits = seed % 2 == 0 ? 64 : 24;
        if (seed % 4 == 0) options.dram = sim::dram::device_named("ddr4-2400");
        const sim::Program program = sim::program_of(nest.einsum, nest.architecture, nest.mapping);
        const Evaluation evaluation = evaluate(nest.einsum, nest.architecture, nest.mapping);
        const sim::ReplayResult result = sim::replay(nest.einsum, nest.architecture, program, evaluation, options);
        EXPECT_EQ(result.steps_done, result.steps);
        EXPECT_GE(result.cycles, evaluation.compute_cycles) << to_text(nest);
    }
}

void expect_equal(const sim::ReplayResult& quick, const sim::ReplayResult& full, const Nest& nest) {
    EXPECT_EQ(quick.cycles, full.cycles) << to_text(nest);
    EXPECT_EQ(quick.steps_done, full.steps_done);
    EXPECT_EQ(quick.elements.computing, full.elements.computing);
    EXPECT_EQ(quick.elements.waiting_for_words, full.elements.waiting_for_words);
    EXPECT_EQ(quick.elements.waiting_for_others, full.elements.waiting_for_others);
    EXPECT_EQ(quick.elements.other, full.elements.other);
    EXPECT_EQ(quick.elements.filling, full.elements.filling);
    EXPECT_EQ(quick.elements.waits, full.elements.waits);
    EXPECT_EQ(quick.elements.working, full.elements.working);
    EXPECT_EQ(quick.draining, full.draining);
    EXPECT_EQ(quick.flits, full.flits);
    EXPECT_EQ(quick.packets, full.packets);
    EXPECT_EQ(quick.dram_reads, full.dram_reads);
    EXPECT_EQ(quick.dram_writes, full.dram_writes);
}

// A run that finds out that it repeats itself, in its steps or within one, and jumps ahead, counts what it would have
// counted, whatever the machine: narrow links make long transfers.
TEST(Program, ARunThatJumpsAheadIsTheRunItself) {
    int jumped = 0;
    sim::Cycle simulated = 0;
    sim::Cycle all = 0;
    for (std::uint64_t seed = 1; seed <= 200 && !HasFailure(); ++seed) {
        const Nest nest = random_nest(seed, 20000);
        sim::MachineOptions options;
        options.router.virtual_channels = 1 + static_cast<int>(seed % 3);
        options.flit_bits = seed % 4 == 0 ? 64 : 4;
        options.double_buffered = seed % 2 == 0;
        options.reduce_in_network = seed % 5 == 0;
        const sim::Program program = sim::program_of(nest.einsum, nest.architecture, nest.mapping);
        const Evaluation evaluation = evaluate(nest.einsum, nest.architecture, nest.mapping);
        const auto run = [&] { return sim::replay(nest.einsum, nest.architecture, program, evaluation, options); };
        const sim::ReplayResult quick = run();
        if (!quick.extrapolated) continue;
        options.detect_steady_state = false;
        expect_equal(quick, run(), nest);
        ++jumped;
        simulated += quick.simulated_cycles;
        all += quick.cycles;
    }
    EXPECT_GE(jumped, 90);
    EXPECT_LT(simulated, all / 2);
}

std::int64_t flits_into_memories(const sim::Floor& floor, const sim::ReplayResult& result) {
    std::int64_t flits = 0;
    const int local = sim::index_of(sim::Port::local);
    for (const int node : std::set<int>{floor.node_of_memory(0), floor.node_of_memory(1)})
        flits += result.flits[static_cast<std::size_t>(node * sim::kPorts + local)];
    return flits;
}

// Whether elements or routers add up results, the memories get the same of them; where nothing is added up, nothing
// changes.
TEST(Program, ReductionInTheNetworkDeliversTheSameResults) {
    int reduced = 0;
    int faster = 0;
    int slower = 0;
    for (std::uint64_t seed = 1; seed <= 400; ++seed) {
        const Nest nest = random_nest(seed, 500);
        const Evaluation evaluation = evaluate(nest.einsum, nest.architecture, nest.mapping);
        const sim::Program program = sim::program_of(nest.einsum, nest.architecture, nest.mapping);
        sim::MachineOptions options;
        const auto run = [&] { return sim::replay(nest.einsum, nest.architecture, program, evaluation, options); };
        const sim::ReplayResult chain = run();
        options.reduce_in_network = true;
        const sim::ReplayResult tree = run();
        EXPECT_EQ(tree.steps_done, tree.steps);
        EXPECT_EQ(tree.elements.computing, chain.elements.computing);
        EXPECT_EQ(tree.dram_writes, chain.dram_writes) << to_text(nest);
        EXPECT_EQ(tree.dram_reads, chain.dram_reads) << to_text(nest);
        EXPECT_EQ(flits_into_memories(program.floor, tree), flits_into_memories(program.floor, chain)) << to_text(nest);
        const bool adds = std::any_of(program.kinds.begin(), program.kinds.end(), [&](const sim::Step& step) {
            return std::any_of(step.drains.begin(), step.drains.end(),
                               [&](const sim::Transfer& drain) { return program.groups[drain.group].size() > 1; });
        });
        if (!adds) {
            EXPECT_EQ(tree.flits, chain.flits);
            EXPECT_EQ(tree.cycles, chain.cycles);
            continue;
        }
        ++reduced;
        faster += tree.cycles < chain.cycles ? 1 : 0;
        slower += tree.cycles > chain.cycles ? 1 : 0;
        EXPECT_LE(static_cast<double>(tree.cycles), 1.1 * static_cast<double>(chain.cycles) + 30) << to_text(nest);
    }
    EXPECT_GE(reduced, 40);
    EXPECT_GE(faster, reduced / 3) << "of " << reduced;
    EXPECT_LE(slower, reduced / 10) << "of " << reduced;
}

/// Runs of a nest, with their packets.
class Watch {
   public:
    explicit Watch(const Nest& nest)
        : nest_(nest),
          program_(sim::program_of(nest.einsum, nest.architecture, nest.mapping)),
          evaluation_(evaluate(nest.einsum, nest.architecture, nest.mapping)) {}

    const sim::Program& program() const { return program_; }
    Watched run(const sim::MachineOptions& options, bool whole_transfers) const {
        Watched watched{{}, SeenPackets(whole_transfers)};
        sim::ReplayControl control;
        control.packets = [&](const sim::PacketSeen& packet) { watched.packets.note(packet); };
        watched.result = sim::replay(nest_.einsum, nest_.architecture, program_, evaluation_, options, control);
        return watched;
    }
    sim::Cycle cycles(const sim::MachineOptions& options) const {
        return sim::replay(nest_.einsum, nest_.architecture, program_, evaluation_, options).cycles;
    }

   private:
    const Nest& nest_;
    sim::Program program_;
    Evaluation evaluation_;
};

/// Compares two machines, the first of them with less of something, and asks why where the larger one is slower.
class Comparison {
   public:
    int compared = 0;
    int slower = 0;
    std::map<Anomaly, int> why;

    void compare(const Watch& watch, const sim::MachineOptions& smaller, const sim::MachineOptions& larger) {
        ++compared;
        if (watch.cycles(larger) <= watch.cycles(smaller)) return;
        ++slower;
        const bool whole = smaller.flit_bits != larger.flit_bits;
        ++why[anomaly_of(watch.program(), watch.run(smaller, whole), watch.run(larger, whole))];
    }
    std::string text() const {
        std::string text = std::to_string(slower) + " of " + std::to_string(compared) + " slower";
        const char* const names[] = {"without a reason", "overtaken", "sooner", "turns", "writing"};
        for (const auto& [anomaly, count] : why)
            text += ", " + std::to_string(count) + " " + names[static_cast<int>(anomaly)];
        return text;
    }
};

sim::PacketSeen packet(std::int64_t step, int source, int destination, sim::Cycle sent, sim::Cycle tail) {
    sim::PacketSeen seen;
    seen.step = step;
    seen.source = source;
    seen.destination = destination;
    seen.arrival.created = seen.arrival.injected = sent;
    seen.arrival.tail = tail;
    return seen;
}

Anomaly anomaly_between(const std::vector<sim::PacketSeen>& smaller, const std::vector<sim::PacketSeen>& larger) {
    sim::Program program;
    program.floor.mesh = {.columns = 3, .rows = 1};
    Watched before{{}, SeenPackets(false)};
    Watched after{{}, SeenPackets(false)};
    for (const sim::PacketSeen& one : smaller) before.packets.note(one);
    for (const sim::PacketSeen& one : larger) after.packets.note(one);
    return anomaly_of(program, before, after);
}

TEST(Anomaly, WhoWasInTheWay) {
    const std::vector<sim::PacketSeen> before{packet(1, 0, 2, 10, 30), packet(2, 1, 2, 40, 55)};
    EXPECT_EQ(anomaly_between(before, before), Anomaly::none);
    EXPECT_EQ(anomaly_between(before, {packet(1, 0, 2, 10, 31), packet(2, 1, 2, 40, 55)}), Anomaly::none);
    EXPECT_EQ(anomaly_between(before, {packet(1, 0, 2, 10, 31), packet(2, 1, 2, 20, 55)}), Anomaly::overtaken);
    EXPECT_EQ(anomaly_between(before, {packet(1, 0, 2, 10, 31), packet(2, 1, 0, 20, 55)}), Anomaly::none) << "no link";
    const std::vector<sim::PacketSeen> beside{packet(1, 0, 2, 10, 30), packet(2, 1, 2, 12, 25)};
    EXPECT_EQ(anomaly_between(beside, {packet(1, 0, 2, 10, 31), packet(2, 1, 2, 11, 25)}), Anomaly::sooner);
    EXPECT_EQ(anomaly_between(beside, {packet(1, 0, 2, 10, 31), packet(2, 1, 2, 12, 25)}), Anomaly::turns);
}

// Wider links, deeper buffers, more virtual channels and room for two tiles help. Not always: what is sooner gets into
// the way of something else, as on real machines; never by much, and whenever that happens, the other packet is found.
TEST(Program, MoreIsNotSlowerWithoutAReason) {
    Comparison comparison;
    for (std::uint64_t seed = 1; seed <= 400; ++seed) {
        const Nest nest = random_nest(seed, 500);
        const Watch watch(nest);
        const sim::MachineOptions base;
        sim::MachineOptions wide = base;
        wide.flit_bits = 2 * base.flit_bits;
        sim::MachineOptions deep = base;
        deep.router.buffer_flits = 16;
        sim::MachineOptions many = base;
        many.router.virtual_channels = 4;
        sim::MachineOptions doubled = base;
        doubled.double_buffered = true;
        const sim::Cycle cycles = watch.cycles(base);
        for (const sim::MachineOptions& more : {wide, deep, many, doubled}) {
            comparison.compare(watch, base, more);
            EXPECT_LE(static_cast<double>(watch.cycles(more)), 1.1 * static_cast<double>(cycles) + 30) << to_text(nest);
        }
    }
    EXPECT_GE(comparison.compared, 1600);
    EXPECT_LE(comparison.slower, comparison.compared / 20);
    EXPECT_EQ(comparison.why[Anomaly::none], 0) << comparison.text();
    RecordProperty("compared", comparison.text());
}

// Banks move the same words; a run in which no packet waits for a bank is that without banks.
TEST(Program, BanksOnlyTakeTime) {
    int free_of_conflicts = 0;
    int with_conflicts = 0;
    int slower = 0;
    for (std::uint64_t seed = 1; seed <= 400; ++seed) {
        const Nest nest = random_nest(seed, 500);
        const Watch watch(nest);
        sim::MachineOptions options;
        options.detect_steady_state = false;
        const sim::ReplayResult without = watch.run(options, true).result;
        for (const int banks : {1, 2, 3, 4, 16, 64}) {
            options.banks = banks;
            const sim::ReplayResult with = watch.run(options, true).result;
            EXPECT_EQ(with.steps_done, without.steps_done);
            EXPECT_EQ(with.packets, without.packets);
            EXPECT_EQ(with.flits, without.flits);
            EXPECT_EQ(with.dram_reads, without.dram_reads);
            EXPECT_EQ(with.dram_writes, without.dram_writes);
            EXPECT_EQ(with.elements.computing, without.elements.computing);
            if (with.bank_conflicts == 0) {
                EXPECT_EQ(with.cycles, without.cycles) << to_text(nest);
                EXPECT_EQ(with.elements.waits, without.elements.waits) << to_text(nest);
                ++free_of_conflicts;
                continue;
            }
            ++with_conflicts;
            slower += with.cycles > without.cycles ? 1 : 0;
            EXPECT_GE(1.1 * static_cast<double>(with.cycles) + 30, static_cast<double>(without.cycles))
                << to_text(nest);
        }
    }
    EXPECT_GE(free_of_conflicts, 1000);
    EXPECT_GE(with_conflicts, 1000);
    EXPECT_GE(slower, with_conflicts / 2);
    RecordProperty("compared", std::to_string(free_of_conflicts) + " free of conflicts, " + std::to_string(slower) +
                                   " of " + std::to_string(with_conflicts) + " others slower");
}

std::int64_t rows_opened(const sim::ReplayResult& result) { return result.dram.row_misses + result.dram.row_conflicts; }

// Channels of a DRAM: twice as many serve twice as many requests at once. But the addresses lie otherwise in rows and
// banks, and a queue that is served sooner has fewer requests of one row in it: then more rows are opened.
TEST(Program, MoreChannelsAreNotSlowerWithoutAReason) {
    Comparison comparison;
    int by_rows = 0;
    for (std::uint64_t seed = 1; seed <= 400; ++seed) {
        const Nest nest = random_nest(seed, 500);
        const Watch watch(nest);
        for (const char* device : {"ddr2-667", "ddr4-2400", "hbm2-2000"}) {
            for (const int channels : {1, 2}) {
                sim::MachineOptions fewer;
                fewer.dram = sim::dram::device_named(device);
                fewer.dram_options.channels = channels;
                fewer.detect_steady_state = false;
                sim::MachineOptions more = fewer;
                more.dram_options.channels = 2 * channels;
                const sim::ReplayResult slow = watch.run(fewer, true).result;
                const sim::ReplayResult fast = watch.run(more, true).result;
                if (rows_opened(fast) > rows_opened(slow)) {
                    ++comparison.compared;
                    by_rows += fast.cycles > slow.cycles ? 1 : 0;
                    continue;
                }
                EXPECT_LE(static_cast<double>(fast.cycles), 1.1 * static_cast<double>(slow.cycles) + 30);
                comparison.compare(watch, fewer, more);
            }
        }
    }
    EXPECT_GE(comparison.compared, 2400);
    EXPECT_LE(comparison.slower, comparison.compared / 50);
    EXPECT_EQ(comparison.why[Anomaly::none], 0) << comparison.text();
    RecordProperty("compared", std::to_string(by_rows) + " by rows; " + comparison.text());
}

}  // namespace
}  // namespace tilewright::property
