// tilewright simulate of schedules: what `tilewright schedule` wrote, replayed on a DRAM.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "options/exit_status.hpp"
#include "options/machine_options.hpp"
#include "output/output.hpp"

namespace tilewright::cli {

struct ScheduleReplayOptions {
    std::optional<double> clock_ghz;
    std::string layout;                             ///< "rows", "tiles" or "": rows
    std::optional<std::int64_t> largest_input_mib;  ///< of the schedule's file; empty: 64

    void declare(Options& options);
};

/// The schedule.json that these words name, themselves or by their folder: the only one, or "" when none does. Throws
/// InputError for a folder without one, for more than one, and for one among other files.
std::string schedule_among(const std::string& verb, const std::vector<std::string>& files);

/// Reads, judges and replays the schedules of a file. Throws InputError for one that does not hold.
ExitStatus replay_schedules(const std::string& file, const ScheduleReplayOptions& plan, const MachinePlan& machine,
                            int threads, const OutputOptions& output);

}  // namespace tilewright::cli
