// Whole layers in CoSA's simulator (Huang et al., ISCA 2021, section IV-A): interdependent transactions over a
// HybridNetwork, with a memory behind one terminal, one outstanding read.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <queue>
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

/// The memory behind a terminal, as in CoSA's simulator (EventMemory). A packet sent by the terminal is a read,
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

// The DRAM behind a terminal in CoSA's simulator: it ticks with the network; requests and data pass a queue serving one
// event per cycle, newest first. Hence a request precedes all outgoing data, and data due in its cycle is late.

class EventMemory {
   public:
    /// Requires dram::problem_with(device, options).empty().
    EventMemory(const dram::Device& device, const dram::MemoryOptions& options) : memory_(device, options) {}

    /// Before this cycle's tick.
    void request(bool write, std::int64_t address, std::int64_t cycle);

    /// Catches up on the ticks since the last call. Requires that none was next_event's.
    void tick(std::int64_t cycle);

    enum class Out : std::uint8_t { read, written };
    /// The previous tick's output; once.
    std::optional<Out> take();

    /// No traffic; refreshes go on.
    bool idle() const { return events_.empty() && overflow_.empty() && !out_ && memory_.idle(); }
    /// Next cycle with an effective tick, refreshes included, without new requests.
    std::int64_t next_event(std::int64_t cycle) const;

   private:
    struct Event {
        std::int64_t time = 0;
        std::int64_t arrival = 0;  ///< among simultaneous events the first goes first
        bool in = false;
        bool write = false;
        std::int64_t address = 0;

        bool operator<(const Event& other) const {
            return time != other.time ? time < other.time : arrival > other.arrival;
        }
    };
    void serve(const Event& event);

    dram::DramMemory memory_;
    std::priority_queue<Event> events_;
    std::int64_t arrivals_ = 0;
    std::deque<dram::Request> overflow_;  ///< refused by the full memory
    std::optional<Out> out_;
};

}  // namespace tilewright::sim
