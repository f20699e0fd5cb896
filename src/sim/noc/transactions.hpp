// Whole layers as CoSA's simulator runs them (Huang et al., ISCA 2021, section IV-A): transactions that wait for each
// other, sent over a HybridNetwork, with a memory behind one of its terminals that has one read outstanding.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/stop.hpp"
#include "sim/noc/hybrid_network.hpp"

namespace tilewright::sim {

enum class TransactionKind : std::uint8_t { unicast, multicast, count };

struct Transaction {
    int actor = 0;  ///< terminal that sends or counts
    TransactionKind kind = TransactionKind::unicast;
    std::int64_t size = 0;          ///< packets of 32 bytes; cycles of a count
    std::vector<int> destinations;  ///< terminals; one for unicast, none for a count
    std::vector<int> after;         ///< indices of transactions it waits for
};

/// The memory that CoSA's simulator has: the read of a packet is issued when the one before has left entirely. The
/// default times are those of DDR2-667 in DRAMSim2, as its clock ticks with the network's: rows are closed and ranks
/// asleep when a request comes, so that only refreshes make a difference. The packets of a transaction go to the ranks
/// in turn.
struct OneReadMemory {
    int terminal = -1;               ///< none
    std::int64_t first_read = 17;    ///< cycles from the first request to its data
    std::int64_t read = 15;          ///< of every further one
    std::int64_t write = 13;         ///< cycles from a packet's tail to its acknowledgement
    std::int64_t to_activation = 4;  ///< cycles from a request to the activation of its row
    std::int64_t ranks = 16;
    std::int64_t refresh_period = 2600;  ///< of a rank; 0: none is refreshed
    std::int64_t refresh_stagger = 162;  ///< between a rank and the next one
    std::int64_t first_refresh = 163;    ///< of rank 0
    std::int64_t refresh_cycles = 43;
    /// Thousandths of a cycle that a read takes longer while a write is under way, which shares the command bus: a
    /// mean, chosen so that recorded layers agree; the only one of these numbers that is not a time of the device.
    std::int64_t read_millicycles_beside_writes = 400;

    /// The cycle in which a request of cycle `now` is done, for the packet-th packet of its transaction.
    std::int64_t done(std::int64_t now, std::int64_t packet, std::int64_t latency) const;
};

struct TransactionTimes {
    std::int64_t start = -1;
    std::vector<std::int64_t> ends;  ///< per destination in the order given; of a count one

    /// The last of the ends.
    std::int64_t end() const;
};

struct TransactionRun {
    std::vector<TransactionTimes> times;
    std::int64_t cycles = 0;     ///< until the last end
    std::int64_t delivered = 0;  ///< flits, the memory's included
    bool stopped = false;        ///< by the stop source: the times are as far as it came
};

/// Runs all transactions. A terminal runs one at a time, the first of its own, in the order given, that waits for
/// nothing more; what arrived completely at a terminal releases that terminal's own transactions, what arrived
/// everywhere releases all. Throws std::invalid_argument, naming the transaction by its index, for terminals that do
/// not exist, sizes below 1, multicasts to edges, and transactions that wait for each other in a circle.
TransactionRun run_transactions(Mesh mesh, std::span<const Transaction> transactions, const OneReadMemory& memory,
                                const StopSource* stop = nullptr);

}  // namespace tilewright::sim
