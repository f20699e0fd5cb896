// Replayed schedules for people and programs: every layer's cycles beside its schedule's, by cause.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "report/report.hpp"
#include "sim/npu/replay.hpp"

namespace tilewright::report {

struct ReplayedLayer {
    std::vector<std::string> names;
    std::int64_t repeats = 1;
    schedule::Problem problem;
    std::int64_t scheduled_cycles = 0;
    std::int64_t activities = 0;  ///< transfers and operations of the schedule
    sim::npu::Replay result;
    std::string failure = {};  ///< reason it was not replayed; then the result is empty
};

struct ScheduleReplay {
    Provenance provenance;
    schedule::MultiNpu machine;
    sim::npu::ReplayOptions options;
    std::vector<ReplayedLayer> layers;
    std::vector<std::string> notes;
    bool interrupted = false;
};

std::string replay_text(const ScheduleReplay& replay);
/// "tilewright-schedule-replay/1"
std::string replay_json(const ScheduleReplay& replay);

}  // namespace tilewright::report
