#include "sim/dram/memory.hpp"

#include <algorithm>
#include <bit>

namespace tilewright::sim::dram {

std::string problem_with(const Device& device, const MemoryOptions& options) {
    if (options.channels < 1 || !std::has_single_bit(static_cast<unsigned>(options.channels))) {
        return "the number of channels has to be a power of two, not " + std::to_string(options.channels);
    }
    const std::string problem = problem_with(device, options.controller);
    return problem.empty() ? problem_with(device) : problem;
}

DramMemory::DramMemory(const Device& device, const MemoryOptions& options) : device_(device) {
    for (int i = 0; i < options.channels; ++i) controllers_.push_back(controller_of(device, options.controller));
}

bool DramMemory::offer(const Request& request) {
    const Routed routed = route(device_.organisation, channels(), request.address);
    Request local = request;
    local.address = routed.address;
    return controllers_[routed.channel]->offer(local);
}

void DramMemory::tick() {
    ++now_;
    completed_.clear();
    for (const auto& controller : controllers_) {
        controller->tick();
        completed_.insert(completed_.end(), controller->completed().begin(), controller->completed().end());
    }
}

bool DramMemory::idle() const {
    return std::all_of(controllers_.begin(), controllers_.end(),
                       [](const auto& controller) { return controller->idle(); });
}

Clock DramMemory::next_event() const {
    Clock next = controllers_.front()->next_event();
    for (const auto& controller : controllers_) next = std::min(next, controller->next_event());
    return next;
}

void DramMemory::skip_to(Clock clock) {
    now_ = clock;
    completed_.clear();
    for (const auto& controller : controllers_) controller->skip_to(clock);
}

Counts DramMemory::counts() const {
    Counts sum;
    for (const auto& controller : controllers_) {
        const Counts& one = controller->counts();
        for (std::size_t i = 0; i < sum.commands.size(); ++i) sum.commands[i] += one.commands[i];
        sum.row_hits += one.row_hits;
        sum.row_misses += one.row_misses;
        sum.row_conflicts += one.row_conflicts;
        sum.forwarded += one.forwarded;
        sum.busy += one.busy;
        for (std::size_t i = 0; i < sum.lost.size(); ++i) sum.lost[i] += one.lost[i];
    }
    return sum;
}

std::optional<double> DramMemory::energy_pj() const {
    if (!device_.energy) return std::nullopt;
    const Counts all = counts();
    const Energy& e = *device_.energy;
    const double ns = static_cast<double>(now_) * device_.timing.clock_ps * 1e-3;
    return static_cast<double>(all.of(Command::activate)) * e.activate_pj +
           static_cast<double>(all.of(Command::read) + all.of(Command::read_close)) * e.read_pj +
           static_cast<double>(all.of(Command::write) + all.of(Command::write_close)) * e.write_pj +
           static_cast<double>(all.of(Command::refresh)) * e.refresh_pj + e.background_mw * ns * channels();
}

}  // namespace tilewright::sim::dram
