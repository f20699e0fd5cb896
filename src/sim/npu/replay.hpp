// Executes a schedule for several cores around one scratchpad on a real memory: every access of every transfer on a
// simulated DRAM, operations on completion of their dependences.
//
// Only the schedule's order is kept, not its times. A core runs its operations, and a DMA channel its transfers, in
// schedule order, each as soon as data, scratchpad room and core or channel are there (dependences.hpp). An ideal
// memory, keeping every channel busy, reproduces the schedule's times, except for idle gaps of its own.
#pragma once

#include <array>
#include <functional>
#include <optional>

#include "base/stop.hpp"
#include "sim/npu/dma.hpp"
#include "sim/npu/layout.hpp"

namespace tilewright::sim::npu {

struct ReplayOptions {
    std::optional<dram::Device> dram;  ///< empty: ideal
    dram::MemoryOptions dram_options;
    double clock_ghz = 1.0;  ///< of the cores and the DMA engine
    Layout layout = Layout::rows;

    bool operator==(const ReplayOptions&) const = default;
};

/// Reason why the machine cannot be built, or "".
std::string problem_with(const ReplayOptions& options);

/// Core cycles by activity, summed over the cores: cores * cycles in total.
struct CoreTime {
    std::int64_t computing = 0;
    std::int64_t waiting_for_words = 0;  ///< an operand of the next operation was not loaded
    std::int64_t waiting_for_room = 0;   ///< no room for its result
    std::int64_t other = 0;              ///< waiting for other operations, or none left
};

/// The critical path of the run, by activity.
struct Path {
    std::int64_t computing = 0;
    std::int64_t moving = 0;    ///< transfers, at the channel's rate
    std::int64_t memory = 0;    ///< their excess over it
    std::int64_t draining = 0;  ///< writes in the memory after the last transfer
};

struct Replay {
    schedule::Schedule
        schedule;      ///< the same transfers and executions at their actual times; the completed ones, if interrupted
    Cycle cycles = 0;  ///< until the memory is done
    Cycle ideal_cycles = 0;  ///< with an ideal memory
    CoreTime cores;
    Path path;
    Path ideal_path;  ///< with an ideal memory
    std::array<std::int64_t, schedule::kTransferKindNames.size()>
        moved_bytes{};                ///< by TransferKind: over the channels
    std::int64_t channel_cycles = 0;  ///< with a transfer in flight, summed over the channels
    std::int64_t dram_reads = 0;      ///< accesses
    std::int64_t dram_writes = 0;
    dram::Counts dram;
    std::optional<double> dram_energy_pj;
    std::int64_t done = 0;  ///< transfers and executions
    bool interrupted = false;
};

struct Control {
    const StopSource* stop = nullptr;
    std::function<void(std::int64_t done, std::int64_t all)> progress;  ///< called now and then
};

/// Requires a schedule of this problem accepted by validate(), and problem_with(options).empty().
Replay replay(const schedule::Problem& problem, const schedule::Schedule& schedule, const ReplayOptions& options,
              const Control& control = {});

}  // namespace tilewright::sim::npu
