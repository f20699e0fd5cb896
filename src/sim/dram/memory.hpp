// A memory of one or more channels, clock by clock.
//
//     DramMemory memory(device_named("ddr4-2400").value(), {.channels = 2});
//     while (!memory.offer({.address = 0, .write = false, .tag = 7})) memory.tick();
//     while (!memory.idle()) { memory.tick(); for (const Done& done : memory.completed()) ... }
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/dram/controller.hpp"

namespace tilewright::sim::dram {

struct MemoryOptions {
    int channels = 1;  ///< a power of two; consecutive accesses alternate
    ControllerOptions controller{};

    bool operator==(const MemoryOptions&) const = default;
};

/// Reason for an impossible memory, or "".
std::string problem_with(const Device& device, const MemoryOptions& options);

class DramMemory {
   public:
    /// Requires problem_with(device, options).empty().
    DramMemory(const Device& device, const MemoryOptions& options);

    /// Takes an access to the aligned bytes around an address; false if the channel's queue is full.
    bool offer(const Request& request);

    void tick();
    const std::vector<Done>& completed() const { return completed_; }
    bool idle() const;
    Clock now() const { return now_; }
    Clock next_event() const;
    void skip_to(Clock clock);

    /// Of all channels.
    Counts counts() const;
    /// Commands plus background power so far; empty for a device without energies.
    std::optional<double> energy_pj() const;
    const Device& device() const { return device_; }
    int channels() const { return static_cast<int>(controllers_.size()); }

   private:
    Device device_;
    std::vector<std::unique_ptr<Controller>> controllers_;
    std::vector<Done> completed_;
    Clock now_ = 0;
};

}  // namespace tilewright::sim::dram
