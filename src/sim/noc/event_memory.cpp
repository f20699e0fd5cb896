#include "sim/noc/event_memory.hpp"

#include <algorithm>
#include <utility>

namespace tilewright::sim {
namespace {

/// The network's clock starts after its reset, the DRAM's at 0: requests look newer by this much.
constexpr std::int64_t kReset = 2;

}  // namespace

void EventMemory::request(bool write, std::int64_t address, std::int64_t cycle) {
    events_.push({.time = cycle + kReset, .arrival = arrivals_++, .in = true, .write = write, .address = address});
}

void EventMemory::tick(std::int64_t cycle) {
    while (memory_.now() < cycle) {
        const std::int64_t quiet = std::min(memory_.next_event() - 1, cycle);
        if (quiet > memory_.now()) {
            memory_.skip_to(quiet);
        } else {
            memory_.tick();
        }
    }
    if (!overflow_.empty() && memory_.offer(overflow_.front())) overflow_.pop_front();
    memory_.tick();
    for (const dram::Done& done : memory_.completed())
        events_.push({.time = cycle, .arrival = arrivals_++, .in = false, .write = done.write, .address = 0});
    if (events_.empty()) return;
    const Event event = events_.top();
    events_.pop();
    serve(event);
}

void EventMemory::serve(const Event& event) {
    if (!event.in) {
        out_ = event.write ? Out::written : Out::read;
        return;
    }
    const dram::Request request{event.address, event.write, 0};
    if (!memory_.offer(request)) overflow_.push_back(request);
}

std::optional<EventMemory::Out> EventMemory::take() { return std::exchange(out_, std::nullopt); }

std::int64_t EventMemory::next_event(std::int64_t cycle) const {
    if (!events_.empty() || !overflow_.empty() || out_) return cycle + 1;
    return memory_.next_event() - 1;  // its clock is a tick further after that tick
}

}  // namespace tilewright::sim
