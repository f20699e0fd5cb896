#include "sim/noc/transactions.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <stdexcept>

#include "sim/dram/load.hpp"

namespace tilewright::sim::transactions_test {
namespace {

constexpr Mesh kHybridMesh = {.columns = 4, .rows = 5};

Transaction unicast(int from, int to, std::int64_t packets, std::vector<int> after = {}) {
    return {.actor = from,
            .kind = TransactionKind::unicast,
            .size = packets,
            .destinations = {to},
            .after = std::move(after)};
}

Transaction counting(int actor, std::int64_t cycles, std::vector<int> after = {}) {
    return {
        .actor = actor, .kind = TransactionKind::count, .size = cycles, .destinations = {}, .after = std::move(after)};
}

std::string refusal(const std::vector<Transaction>& transactions) {
    try {
        run_transactions(kHybridMesh, transactions, {});
    } catch (const std::invalid_argument& error) {
        return error.what();
    }
    return "none";
}

TEST(Transactions, AnIdleNetworkTakesFourCyclesARouter) {
    for (int from = 0; from < 20; ++from) {
        for (int to = 0; to < 20; ++to) {
            const auto run = run_transactions(kHybridMesh, std::vector{unicast(from, to, 3)}, {});
            EXPECT_EQ(run.cycles, 4 * kHybridMesh.routers_between(from, to) + 5 + 5 * 2) << from << " to " << to;
        }
    }
}

TEST(Transactions, ATerminalGoesOnACycleAfterItsCount) {
    const auto run =
        run_transactions(kHybridMesh, std::vector{counting(3, 100), counting(3, 50, {0}), counting(4, 10, {1})}, {});
    EXPECT_EQ(run.times[1].start, 101);
    EXPECT_EQ(run.times[1].end(), 151);
    EXPECT_EQ(run.times[2].start, 151);  // a terminal with a larger number sees it in the same cycle
    EXPECT_EQ(run.cycles, 161);
}

TEST(Transactions, MistakesAreNamed) {
    EXPECT_EQ(refusal({unicast(0, 38, 1)}), "transaction 0: there is no terminal 38");
    EXPECT_EQ(refusal({unicast(-1, 3, 1)}), "transaction 0: there is no terminal -1");
    EXPECT_EQ(refusal({unicast(0, 1, 1), unicast(0, 3, 0)}), "transaction 1: expected a size of at least 1");
    EXPECT_EQ(refusal({unicast(0, 3, 1, {1})}), "transaction 0: waits for transaction 1, which there is not");
    EXPECT_EQ(refusal({{.actor = 0, .kind = TransactionKind::multicast, .size = 1, .destinations = {29}, .after = {}}}),
              "transaction 0: a multicast reaches only the terminals at routers");
    EXPECT_EQ(
        refusal({{.actor = 0, .kind = TransactionKind::multicast, .size = 1, .destinations = {2, 2}, .after = {}}}),
        "transaction 0: terminal 2 is named twice");
    EXPECT_EQ(refusal({counting(0, 5, {1}), unicast(1, 2, 1, {0})}),
              "transaction 0: waits for transaction 1, which never ends: they wait in a circle");
    EXPECT_THROW(HybridNetwork({.columns = 9, .rows = 9}), std::invalid_argument);
}

/// DDR2-667, with a read time of 12 clocks.
OneReadMemory memory_at(int terminal) {
    OneReadMemory memory;
    memory.terminal = terminal;
    memory.device = dram::device_named("ddr2-667").value();
    memory.options.controller.scheduling = dram::Scheduling::round_robin;
    memory.options.controller.round_robin.power_down = false;
    return memory;
}

TEST(Transactions, TheLastFlitWaitsForItsData) {
    OneReadMemory memory = memory_at(29);
    memory.device.organisation.ranks = 2;
    memory.options.controller.interleaving = dram::Interleaving::row_column_bank_rank;  // another rank for each packet
    const auto run = run_transactions(kHybridMesh, std::vector{unicast(29, 19, 2)}, memory);
    // Cycles: request taken, data let out, data sent, start of the next packet; then a flit's way through a router.
    const int data = 1 + 12 + 1;
    EXPECT_EQ(run.cycles, 2 * data + 1 + 5);
}

TEST(Transactions, AWriteEndsWhenTheMemoryHasIt) {
    const auto without = run_transactions(kHybridMesh, std::vector{unicast(19, 29, 1)}, {});
    const auto run = run_transactions(kHybridMesh, std::vector{unicast(19, 29, 1)}, memory_at(29));
    EXPECT_EQ(run.cycles, without.cycles + 1 + 10 + 1);
}

TEST(Transactions, OneEventInACycleTheNewestFirst) {
    const OneReadMemory memory = memory_at(29);
    EventMemory dram(memory.device, memory.options);
    dram.request(true, 0, 0);
    std::vector<std::int64_t> out;
    for (std::int64_t cycle = 0; cycle < 60; ++cycle) {
        if (dram.take()) out.push_back(cycle);
        if (cycle >= 10 && cycle < 20) dram.request(false, 64 * cycle, cycle);  // before outgoing data
        dram.tick(cycle);
    }
    ASSERT_EQ(out.size(), 11U);
    EXPECT_EQ(out.front(), 21);
    EXPECT_TRUE(dram.idle());
}

TEST(Transactions, AMemoryThatCannotBeIsRefused) {
    OneReadMemory memory = memory_at(29);
    memory.device.organisation.banks = 3;
    EXPECT_THROW(run_transactions(kHybridMesh, std::vector{unicast(0, 1, 1)}, memory), std::invalid_argument);
}

TEST(Transactions, AStopIsSeen) {
    StopSource stop;
    stop.request();
    const auto run = run_transactions(kHybridMesh, std::vector{unicast(0, 19, 1'000'000)}, {}, &stop);
    EXPECT_TRUE(run.stopped);
    EXPECT_LT(run.cycles, 10'000);
}

/// A random transaction of terminal `actor` with up to two of its predecessors as dependences.
Transaction random_transaction(std::mt19937& random, const Mesh& mesh, int index) {
    const auto below = [&](int bound) { return static_cast<int>(random() % static_cast<unsigned>(bound)); };
    Transaction made;
    made.actor = below(mesh.nodes());
    made.kind = static_cast<TransactionKind>(below(3));
    made.size = 1 + below(12);
    if (made.kind == TransactionKind::unicast) made.destinations = {below(mesh.nodes())};
    if (made.kind == TransactionKind::multicast) {
        made.destinations.resize(static_cast<std::size_t>(mesh.nodes()));
        std::iota(made.destinations.begin(), made.destinations.end(), 0);
        std::shuffle(made.destinations.begin(), made.destinations.end(), random);
        made.destinations.resize(static_cast<std::size_t>(1 + below(mesh.nodes())));
    }
    for (int i = below(3); i > 0 && index > 0; --i) made.after.push_back(below(index));
    return made;
}

/// Every flit arrives once per destination, nothing gets stuck, and dependences are respected.
TEST(Transactions, RandomOnesAllEnd) {
    std::mt19937 random(21);
    std::size_t compared = 0;
    for (int round = 0; round < 150; ++round) {
        const Mesh mesh = {.columns = 1 + static_cast<int>(random() % 5), .rows = 1 + static_cast<int>(random() % 5)};
        std::vector<Transaction> transactions;
        for (int i = 0; i < 40; ++i) transactions.push_back(random_transaction(random, mesh, i));
        const auto run = run_transactions(mesh, transactions, {});
        std::int64_t flits = 0;
        for (std::size_t i = 0; i < transactions.size(); ++i) {
            const Transaction& made = transactions[i];
            flits += made.size * HybridNetwork::kPacketFlits * static_cast<std::int64_t>(made.destinations.size());
            EXPECT_GE(*std::ranges::min_element(run.times[i].ends), run.times[i].start + made.size);
            for (const int other : made.after) {
                const auto& before = run.times[other].ends;
                EXPECT_GE(run.times[i].start, *std::ranges::min_element(before));
            }
            ++compared;
        }
        EXPECT_EQ(run.delivered, flits);
    }
    EXPECT_GE(compared, 6'000U);
}

}  // namespace
}  // namespace tilewright::sim::transactions_test
