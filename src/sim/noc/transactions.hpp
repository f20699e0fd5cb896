// Whole layers in CoSA's simulator (Huang et al., ISCA 2021, section IV-A): interdependent transactions over a
// HybridNetwork, with a memory behind one terminal, one outstanding read.
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
    int actor = 0;  ///< sending or counting terminal
    TransactionKind kind = TransactionKind::unicast;
    std::int64_t size = 0;          ///< packets of 32 bytes; cycles of a count
    std::vector<int> destinations;  ///< terminals; one for unicast, none for a count
    std::vector<int> after;         ///< indices of its dependences
};

/// The memory behind a terminal, as in CoSA's simulator (event_memory.hpp). A packet sent by the terminal is a read,
/// issued once the previous packet has left entirely; four of its five flits do not wait for the data. An arriving
/// packet is a write. Every transaction reads from one address on and writes from another.
struct OneReadMemory {
    int terminal = -1;  ///< none
    dram::Device device;
    dram::MemoryOptions options;
    std::int64_t read_from = 0x30000;  ///< bytes; a packet has 32
    std::int64_t write_to = 0;
};

struct TransactionTimes {
    std::int64_t start = -1;
    std::vector<std::int64_t> ends;  ///< per destination in the given order; one of a count

    std::int64_t end() const;
};

struct TransactionRun {
    std::vector<TransactionTimes> times;
    std::int64_t cycles = 0;     ///< until the last end
    std::int64_t delivered = 0;  ///< flits, the memory's included
    bool stopped = false;        ///< by the stop source: times up to then
};

/// Runs all transactions. A terminal runs one at a time, its first in the given order without open dependences;
/// complete arrival at a terminal releases its own transactions, complete arrival everywhere releases all. Throws
/// std::invalid_argument, naming the transaction by index, for unknown terminals, sizes below 1, multicasts to edges,
/// and cyclic dependences; and for an impossible memory.
TransactionRun run_transactions(Mesh mesh, std::span<const Transaction> transactions, const OneReadMemory& memory,
                                const StopSource* stop = nullptr);

}  // namespace tilewright::sim
