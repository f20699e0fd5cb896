#include "schedule/problem/schedule.hpp"

#include <gtest/gtest.h>

namespace tilewright::schedule::residence_test {
namespace {

// Two output tiles, each a chain of two operations over the input channels.
Problem two_chains() {
    Problem problem;
    problem.machine.scratchpad_bytes = 1000;
    problem.machine.cores = 2;
    problem.layer.in_c = 2;
    problem.layer.out_c = 2;
    problem.tiling[Dim::out_w] = problem.tiling[Dim::out_h] = problem.tiling[Dim::in_c] = problem.tiling[Dim::out_c] =
        1;
    return problem;
}

TEST(Residence, LastsFromTheLoadToTheLastUse) {
    const OperationGraph graph = make_graph(two_chains());
    Schedule schedule;
    schedule.transfers = {{TransferKind::load, Operand::input, 0, 0, 100, 1, 0, 5}};
    schedule.executions = {{0, 0, 5, 9, {100, 200, 300}}, {2, 1, 6, 12, {100, 210, 310}}};
    const std::vector<Residence> all = residences(graph, schedule);
    ASSERT_EQ(all.size(), 3U);  // the input and two outputs; the weights were not loaded
    const Residence& input = all[1].address == 100 ? all[1] : all[2];
    EXPECT_EQ(input.begin, 0);
    EXPECT_EQ(input.end, 12);
    EXPECT_EQ(input.cores, 0b11U) << "both cores used it";
}

TEST(Residence, ASpilledPartialSumComesBackAsAnotherOne) {
    const OperationGraph graph = make_graph(two_chains());
    Schedule schedule;
    schedule.transfers = {{TransferKind::spill, Operand::output, 0, 0, 300, 4, 9, 12},
                          {TransferKind::load, Operand::output, 0, 0, 340, 4, 20, 23},
                          {TransferKind::store, Operand::output, 0, 0, 340, 1, 30, 31}};
    schedule.executions = {{0, 0, 5, 9, {100, 200, 300}}, {1, 0, 23, 30, {110, 220, 340}}};
    const std::vector<Residence> all = residences(graph, schedule);
    ASSERT_EQ(all.size(), 2U);
    EXPECT_EQ(all[0].address, 300);
    EXPECT_EQ(all[0].end, 12);
    EXPECT_EQ(all[1].address, 340);
    EXPECT_EQ(all[1].begin, 20);
    EXPECT_EQ(all[1].end, 31);
}

}  // namespace
}  // namespace tilewright::schedule::residence_test
