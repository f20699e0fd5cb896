// A DRAM as CoSA's simulator has it behind a terminal: it ticks with the network, and whatever goes in or comes out
// passes a queue that serves one event in a cycle, the newest first. Hence a request goes before all that comes out,
// and data that came out in the cycle of a request comes late.
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

    /// In this cycle, before its tick.
    void request(bool write, std::int64_t address, std::int64_t cycle);

    /// Ticks of the cycles since the last one are passed first. Requires that none of them was that of next_event.
    void tick(std::int64_t cycle);

    enum class Out : std::uint8_t { read, written };
    /// What the tick before let out; once.
    std::optional<Out> take();

    /// Nothing is on its way in or out; refreshes go on.
    bool idle() const { return events_.empty() && overflow_.empty() && !out_ && memory_.idle(); }
    /// The next cycle whose tick does anything, refreshes included, unless a request comes.
    std::int64_t next_event(std::int64_t cycle) const;

   private:
    struct Event {
        std::int64_t time = 0;
        std::int64_t arrival = 0;  ///< of events of the same time the first goes first
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
    std::deque<dram::Request> overflow_;  ///< that the memory had no room for
    std::optional<Out> out_;
};

}  // namespace tilewright::sim
