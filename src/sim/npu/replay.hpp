// Runs a schedule for several cores around one scratchpad with the memory as it is: every access of every transfer on a
// simulated DRAM, and operations when what they wait for has come.
//
// What begins when is not the schedule's: its order is. A core runs its operations, and a DMA channel its transfers, in
// the order in which the schedule has them; each begins as soon as its data, its room in the scratchpad and its core or
// channel are there (dependences.hpp). With an ideal memory, one that keeps every channel busy, that gives the times of
// the schedule, unless it waits for nothing here and there.
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

/// Why the machine cannot be built so, or "".
std::string problem_with(const ReplayOptions& options);

/// Core cycles by what the core did, summed over the cores; together they are cores * cycles.
struct CoreTime {
    std::int64_t computing = 0;
    std::int64_t waiting_for_words = 0;  ///< the next operation lacked an operand that was to be loaded
    std::int64_t waiting_for_room = 0;   ///< or a place for its result
    std::int64_t other = 0;              ///< it waited for other operations, or there was none
};

/// What the cycles of the run were spent on: one after the other, each thing that what came after it had to wait for.
struct Path {
    std::int64_t computing = 0;
    std::int64_t moving = 0;    ///< transfers, as long as a channel takes for their bytes
    std::int64_t memory = 0;    ///< what these transfers took beyond that
    std::int64_t draining = 0;  ///< writes under way in the memory after the last transfer
};

struct Replay {
    schedule::Schedule
        schedule;      ///< the same transfers and executions, and when they took place; those done, if interrupted
    Cycle cycles = 0;  ///< until the memory has everything
    Cycle ideal_cycles = 0;  ///< with an ideal memory
    CoreTime cores;
    Path path;
    Path ideal_path;  ///< with an ideal memory
    std::array<std::int64_t, schedule::kTransferKindNames.size()>
        moved_bytes{};                ///< by TransferKind: over the channels
    std::int64_t channel_cycles = 0;  ///< in which a channel had a transfer under way, summed over the channels
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

/// Requires a schedule of this problem that validate() accepts, and problem_with(options).empty().
Replay replay(const schedule::Problem& problem, const schedule::Schedule& schedule, const ReplayOptions& options,
              const Control& control = {});

}  // namespace tilewright::sim::npu
