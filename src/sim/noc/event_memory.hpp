// The DRAM behind a terminal in CoSA's simulator: it ticks with the network; requests and data pass a queue serving one
// event per cycle, newest first. Hence a request precedes all outgoing data, and data due in its cycle is late.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <queue>
#include <vector>

#include "sim/dram/memory.hpp"

namespace tilewright::sim {

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

    dram::Memory memory_;
    std::priority_queue<Event> events_;
    std::int64_t arrivals_ = 0;
    std::deque<dram::Request> overflow_;  ///< refused by the full memory
    std::optional<Out> out_;
};

}  // namespace tilewright::sim
