// The program of the simulated machine moves the words that the cost model counts.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "model/model.hpp"
#include "random_nest.hpp"
#include "sim/dram/load.hpp"
#include "sim/machine/program.hpp"
#include "sim/machine/replay.hpp"

namespace tilewright::property {
namespace {

/// Behind a level that the tensor bypasses the model scales its counts (docs/model.md, rule 6).
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
        const TensorTraffic& outer =
            evaluation.memories[static_cast<std::size_t>(flow.outer)].tensors[static_cast<std::size_t>(flow.tensor)];
        const bool equal = outer.reads == static_cast<double>(totals.in) &&
                           (!flow.result || outer.updates == static_cast<double>(totals.out));
        if (!is_direct(flow)) {
            ++compared.behind_bypass;
            compared.equal_behind_bypass += equal ? 1 : 0;
            continue;
        }
        ++compared.direct;
        EXPECT_TRUE(equal) << "flow of " << nest.einsum.tensors[static_cast<std::size_t>(flow.tensor)].name
                           << " below memory " << flow.outer << ": reads " << totals.in << " instead of " << outer.reads
                           << ", results " << totals.out << " instead of " << outer.updates << "\n"
                           << to_text(nest);
        if (!flow.result && flow.inner < nest.architecture.memory_count()) {
            const TensorTraffic& inner = evaluation.memories[static_cast<std::size_t>(flow.inner)]
                                             .tensors[static_cast<std::size_t>(flow.tensor)];
            EXPECT_EQ(inner.fills, static_cast<double>(totals.delivered)) << to_text(nest);
        }
    }
}

/// A step as it does not depend on the numbering of groups and the order of transfers.
using Listed = std::vector<std::tuple<int, int, std::vector<int>, std::int64_t>>;

Listed listed(const sim::Program& program, const sim::Step& step) {
    Listed list{{-1, 0, program.groups[static_cast<std::size_t>(step.working)], step.compute_cycles}};
    int part = 0;
    for (const auto* transfers : {&step.loads, &step.sends, &step.drains, &step.stores}) {
        for (const sim::Transfer& t : *transfers) {
            list.emplace_back(part, t.flow, program.groups[static_cast<std::size_t>(t.group)], t.words);
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
    // Where a bypassed level has remainders, the scaled counts of the model are averages.
    EXPECT_GE(compared.equal_behind_bypass, compared.behind_bypass * 97 / 100);
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

sim::Cycle cycles_of(const Nest& nest, const sim::MachineOptions& options) {
    const sim::Program program = sim::program_of(nest.einsum, nest.architecture, nest.mapping);
    return sim::replay(nest.einsum, nest.architecture, program, evaluate(nest.einsum, nest.architecture, nest.mapping),
                       options)
        .cycles;
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
            return std::any_of(step.drains.begin(), step.drains.end(), [&](const sim::Transfer& drain) {
                return program.groups[static_cast<std::size_t>(drain.group)].size() > 1;
            });
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

// Wider links, deeper buffers and more virtual channels help. Not always: with other packets in the way, arbiters take
// other turns, and a run may come out a little slower, as on real machines; never by much.
TEST(Program, MoreIsHardlyEverSlower) {
    int compared = 0;
    int slower = 0;
    for (std::uint64_t seed = 1; seed <= 400; ++seed) {
        const Nest nest = random_nest(seed, 500);
        const sim::MachineOptions base;
        sim::MachineOptions wide = base;
        wide.flit_bits = 2 * base.flit_bits;
        sim::MachineOptions deep = base;
        deep.router.buffer_flits = 16;
        sim::MachineOptions many = base;
        many.router.virtual_channels = 4;
        sim::MachineOptions doubled = base;
        doubled.double_buffered = true;
        const sim::Cycle cycles = cycles_of(nest, base);
        for (const sim::MachineOptions& more : {wide, deep, many, doubled}) {
            const sim::Cycle with_more = cycles_of(nest, more);
            ++compared;
            slower += with_more > cycles ? 1 : 0;
            EXPECT_LE(static_cast<double>(with_more), 1.1 * static_cast<double>(cycles) + 30) << to_text(nest);
        }
    }
    EXPECT_GE(compared, 1600);
    EXPECT_LE(slower, compared / 20) << slower << " of " << compared;
}

}  // namespace
}  // namespace tilewright::property
