// Whole layers as CoSA's simulator runs them (Huang et al., ISCA 2021, section IV-A): transactions that wait for each
// other, sent over a HybridNetwork, with a memory behind one of its terminals that has one read outstanding.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/stop.hpp"
#include "sim/dram/memory.hpp"
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

/// The memory behind a terminal, as CoSA's simulator has it (event_memory.hpp). A packet that the terminal sends is a
/// read, which is issued when the packet before has left entirely; four of its five flits do not wait for the data. A
/// packet that arrives is a write. Every transaction reads from one address on and writes from another.
struct OneReadMemory {
    int terminal = -1;  ///< none
    dram::Device device;
    dram::MemoryOptions options;
    std::int64_t read_from = 0x30000;  ///< bytes; a packet has 32
    std::int64_t write_to = 0;
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
/// not exist, sizes below 1, multicasts to edges, and transactions that wait for each other in a circle; and for a
/// memory that cannot be.
TransactionRun run_transactions(Mesh mesh, std::span<const Transaction> transactions, const OneReadMemory& memory,
                                const StopSource* stop = nullptr);

}  // namespace tilewright::sim
