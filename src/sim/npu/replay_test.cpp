// Replayed schedules of small random layers: exact times on an ideal memory, never earlier on a DRAM, the same words
// and a valid schedule on both.
#include "sim/npu/replay.hpp"

#include <gtest/gtest.h>

#include <map>

#include "fixtures/schedule_problem.hpp"
#include "schedule/schedulers/beam.hpp"
#include "schedule/schedulers/list_scheduler.hpp"
#include "schedule/schedulers/static_order.hpp"
#include "schedule/validation/validate.hpp"
#include "sim/dram/load.hpp"
#include "sim/npu/dependences.hpp"

namespace tilewright::sim::npu::npu_replay_test {
namespace {

using schedule::LatencyRule;
using schedule::Operand;
using schedule::OperationGraph;
using schedule::Schedule;
using schedule::TransferKind;

/// A layer's schedules by the list scheduler, look-ahead, and a static plan.
std::vector<Schedule> schedules_of(const OperationGraph& graph, LatencyRule rule, Random& random) {
    std::vector<Schedule> all;
    all.push_back(list_schedule(graph, {.rule = rule}));
    if (const auto ahead = beam_schedule(graph, {rule, 2, 2}, schedule::Cutoff{{}, 1e300, 0})) all.push_back(*ahead);
    const auto plans = static_plans(graph, rule, {});
    if (!plans.empty()) {
        const auto which = random.between(0, static_cast<std::int64_t>(plans.size()) - 1);
        all.push_back(run_static(graph, plans[which], rule));
    }
    return all;
}

struct Sample {
    schedule::Problem problem;
    Schedule schedule;
};

std::vector<Sample> samples(std::uint64_t seed, int problems) {
    std::vector<Sample> all;
    Random random(seed);
    for (int i = 0; i < problems; ++i) {
        const schedule::Problem problem = schedule::random_problem(random, 60);
        const OperationGraph graph = make_graph(problem);
        for (const LatencyRule rule : {LatencyRule::overlap, LatencyRule::sum})
            for (Schedule& one : schedules_of(graph, rule, random)) all.push_back({problem, std::move(one)});
    }
    return all;
}

ReplayOptions with_dram(const char* name = "ddr4-2400", Layout layout = Layout::rows) {
    ReplayOptions options;
    options.dram = dram::device_named(name).value();
    options.layout = layout;
    return options;
}

TEST(NpuReplay, AnIdealMemoryGivesTheTimesOfTheSchedule) {
    int compared = 0;
    for (const Sample& one : samples(1, 400)) {
        const Replay replayed = replay(one.problem, one.schedule, {});
        ASSERT_EQ(replayed.schedule, one.schedule) << compared;
        ASSERT_EQ(replayed.cycles, one.schedule.latency_cycles);
        ASSERT_EQ(replayed.ideal_cycles, replayed.cycles);
        ++compared;
    }
    EXPECT_GT(compared, 1500);
}

/// All rules except transfer times hold for the executed schedule.
void expect_holds(const Sample& one, const Replay& replayed) {
    for (const schedule::Finding& finding : validate(one.problem, replayed.schedule, 100000)) {
        const bool is_time = finding.fault == schedule::Fault::wrong_duration && finding.place.starts_with("transfers");
        EXPECT_TRUE(is_time) << finding.place << ": " << finding.message;
    }
}

TEST(NpuReplay, ADramIsNeverSoonerAndMovesTheSameWords) {
    for (const Sample& one : samples(2, 60)) {
        for (const Layout layout : {Layout::rows, Layout::tiles}) {
            const Replay replayed = replay(one.problem, one.schedule, with_dram("ddr4-2400", layout));
            ASSERT_GE(replayed.cycles, one.schedule.latency_cycles);
            ASSERT_EQ(replayed.ideal_cycles, one.schedule.latency_cycles);
            std::map<TransferKind, std::int64_t> scheduled;
            for (const schedule::Transfer& transfer : one.schedule.transfers)
                scheduled[transfer.kind] += transfer.bytes;
            for (const TransferKind kind : {TransferKind::load, TransferKind::spill, TransferKind::store})
                ASSERT_EQ(replayed.moved_bytes[static_cast<std::size_t>(kind)], scheduled[kind]);
            ASSERT_EQ(replayed.schedule.traffic_bytes, one.schedule.traffic_bytes);
            for (std::size_t t = 0; t < one.schedule.transfers.size(); ++t) {
                const schedule::Transfer& took = replayed.schedule.transfers[t];
                ASSERT_GE(took.start, one.schedule.transfers[t].start);
                ASSERT_GE(took.end - took.start, one.schedule.transfers[t].end - one.schedule.transfers[t].start);
            }
            expect_holds(one, replayed);
        }
    }
}

TEST(NpuReplay, TimesAddUp) {
    for (const Sample& one : samples(3, 60)) {
        const Replay replayed = replay(one.problem, one.schedule, with_dram());
        const Path& path = replayed.path;
        EXPECT_EQ(path.computing + path.moving + path.memory + path.draining, replayed.cycles);
        EXPECT_GE(path.memory, 0);
        EXPECT_GE(path.draining, 0);
        const CoreTime& cores = replayed.cores;
        EXPECT_EQ(cores.computing, make_graph(one.problem).total_cycles);
        EXPECT_EQ(cores.computing + cores.waiting_for_words + cores.waiting_for_room + cores.other,
                  replayed.cycles * one.problem.machine.cores);
        EXPECT_GE(cores.other, 0);
        EXPECT_EQ(replayed.done,
                  static_cast<std::int64_t>(one.schedule.transfers.size() + one.schedule.executions.size()));
    }
}

// The same memory takes fewer cycles of a slower machine, up to different refreshes.
TEST(NpuReplay, AFasterMemoryIsNotSlower) {
    std::int64_t fast_sum = 0;
    std::int64_t slow_sum = 0;
    for (const Sample& one : samples(4, 60)) {
        ReplayOptions options = with_dram();
        options.clock_ghz = 2.0;
        const Cycle slow = replay(one.problem, one.schedule, options).cycles;
        options.clock_ghz = 0.5;
        const Cycle fast = replay(one.problem, one.schedule, options).cycles;
        EXPECT_LE(fast, slow + slow / 10 + 30);
        slow_sum += slow;
        fast_sum += fast;
    }
    EXPECT_LT(fast_sum, slow_sum);
}

TEST(NpuReplay, AScheduleThatWaitsForNothingIsReplayedSooner) {
    for (const Sample& one : samples(5, 20)) {
        Schedule late = one.schedule;
        for (schedule::Transfer& transfer : late.transfers) transfer.start += 100, transfer.end += 100;
        for (schedule::Execution& execution : late.executions) execution.start += 100, execution.end += 100;
        late.latency_cycles += 100;
        ASSERT_TRUE(validate(one.problem, late).empty());
        EXPECT_EQ(replay(one.problem, late, {}).schedule, one.schedule);
    }
}

TEST(NpuReplay, TheSameTwice) {
    for (const Sample& one : samples(6, 10))
        EXPECT_EQ(replay(one.problem, one.schedule, with_dram("hbm2-2000")).schedule,
                  replay(one.problem, one.schedule, with_dram("hbm2-2000")).schedule);
}

// A slow machine's cycle is many memory clocks: idle ones are skipped, and the others check for a stop.
TEST(NpuReplay, ASlowMachineIsReplayedAndItsMemoryHearsAStop) {
    for (const Sample& one : samples(9, 10)) {
        ReplayOptions options = with_dram();
        options.clock_ghz = 0.001;
        EXPECT_EQ(problem_with(options), "");
        const Replay replayed = replay(one.problem, one.schedule, options);
        EXPECT_GE(replayed.cycles, replayed.ideal_cycles);
        options.clock_ghz = 1e-9;
        EXPECT_NE(problem_with(options), "");
    }
    StopSource stop;
    Dma dma(dram::device_named("ddr4-2400").value(), {}, 1e9, 1, 8, &stop);
    dma.start(0, 0, false, {{0, 4096}}, 0);
    stop.request();
    dma.step(1'000'000);
    EXPECT_EQ(dma.memory().now(), 0);
    EXPECT_TRUE(dma.busy());
}

// Against clock-by-clock simulation: with skips, every transfer ends in the same cycle.
TEST(NpuReplay, ClocksThatArePassedOverChangeNothing) {
    for (const double clocks_per_cycle : {0.3, 1.2, 7.0, 40.0}) {
        Dma at_once(dram::device_named("ddr4-2400").value(), {}, clocks_per_cycle, 2, 8);
        Dma by_cycle(dram::device_named("ddr4-2400").value(), {}, clocks_per_cycle, 2, 8);
        std::vector<std::pair<int, Cycle>> ends[2];
        int which = 0;
        for (Dma* dma : {&at_once, &by_cycle}) {
            dma->start(0, 0, false, {{64, 5000}, {1 << 20, 900}}, 0);
            dma->start(1, 1, true, {{1 << 16, 7000}}, 0);
            for (Cycle now = 0; dma->busy();) {
                dma->step(now);
                for (const Dma::Ended& one : dma->take_ended()) ends[which].emplace_back(one.transfer, one.at);
                now = which == 0 && dma->busy() ? dma->next_event(now) : now + 1;
            }
            ++which;
        }
        EXPECT_EQ(ends[0], ends[1]) << clocks_per_cycle;
        EXPECT_EQ(ends[0].size(), 2U);
    }
}

TEST(NpuReplay, AStopEndsItAndWhatIsDoneIsTold) {
    const std::vector<Sample> all = samples(7, 1);
    StopSource stop;
    stop.request();
    Control control;
    control.stop = &stop;
    const Replay replayed = replay(all.front().problem, all.front().schedule, with_dram(), control);
    EXPECT_TRUE(replayed.interrupted);
    EXPECT_EQ(replayed.done, 0);
}

TEST(NpuReplay, AStopOnTheWayLeavesWhatIsDone) {
    schedule::Problem problem;
    problem.machine = {"two cores", 2, 1 << 16, 1, 64, {1, 1, 1, 4}, {16, 16, 0}};
    problem.layer = {{.out_w = 16, .out_h = 16, .in_c = 64, .out_c = 64, .kernel_w = 3, .kernel_h = 3}};
    problem.tiling = {{8, 8, 32, 32}};
    const Schedule schedule = list_schedule(make_graph(problem), {});
    const ReplayOptions options = with_dram("ddr2-667");
    const Replay whole = replay(problem, schedule, options);
    StopSource stop;
    Control control;
    control.stop = &stop;
    control.progress = [&](std::int64_t done, std::int64_t) {
        if (done > 0) stop.request();
    };
    const Replay cut = replay(problem, schedule, options, control);
    EXPECT_TRUE(cut.interrupted);
    EXPECT_GT(cut.done, 0);
    EXPECT_LT(cut.done, whole.done);
    EXPECT_LT(cut.cycles, whole.cycles);
    EXPECT_EQ(cut.schedule.transfers.size() + cut.schedule.executions.size(), static_cast<std::size_t>(cut.done));
    for (const schedule::Execution& execution : cut.schedule.executions) EXPECT_LE(execution.end, cut.cycles);
}

TEST(Placement, PiecesAreTheBytesOfTheirTransferAndOutputsAreWrittenOnce) {
    Random random(8);
    for (int i = 0; i < 300; ++i) {
        const schedule::Problem problem = schedule::random_problem(random, 60);
        const OperationGraph graph = make_graph(problem);
        const Schedule schedule = list_schedule(graph, {});
        for (const Layout layout : {Layout::rows, Layout::tiles}) {
            const Placement placement(graph, layout);
            std::map<std::int64_t, std::int64_t> written;  // end by begin
            std::int64_t stored = 0;
            for (const schedule::Transfer& transfer : schedule.transfers) {
                std::int64_t bytes = 0;
                for (const Piece& piece : placement.pieces(transfer)) {
                    bytes += piece.bytes;
                    if (transfer.kind != TransferKind::store) continue;
                    ASSERT_TRUE(written.emplace(piece.address, piece.address + piece.bytes).second);
                }
                ASSERT_EQ(bytes, transfer.bytes);
                if (transfer.kind == TransferKind::store) stored += bytes;
            }
            ASSERT_EQ(stored, graph.store_bytes[static_cast<std::size_t>(Operand::output)]);
            for (auto it = written.begin(); std::next(it) != written.end(); ++it)
                ASSERT_LE(it->second, std::next(it)->first);
        }
    }
}

// 4 x 4 outputs of 2 channels in tiles of 2 x 2 x 1, kernel 3: windows of 4 x 4 in an input of 6 x 6.
TEST(Placement, RowsOfAWindow) {
    schedule::Problem problem;
    problem.machine = {"one core", 1, 1 << 20, 1, 1, {1, 1, 1, 4}, {1, 1, 0}};
    problem.layer = {{.out_w = 4, .out_h = 4, .in_c = 2, .out_c = 2, .kernel_w = 3, .kernel_h = 3}};
    problem.tiling = {{2, 2, 2, 1}};
    const OperationGraph graph = make_graph(problem);
    const Placement placement(graph, Layout::rows);
    schedule::Transfer load{.kind = TransferKind::load, .operand = Operand::input, .index = 1, .bytes = 32};
    // The second tile by rows: from row 2 on; all channels of 4 columns are one piece.
    const std::vector<Piece> expected{{24, 8}, {36, 8}, {48, 8}, {60, 8}};
    EXPECT_EQ(placement.pieces(load), expected);
}

}  // namespace
}  // namespace tilewright::sim::npu::npu_replay_test
