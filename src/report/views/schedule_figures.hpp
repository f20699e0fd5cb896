// Pictures of schedules: activities of cores and channels, scratchpad contents, bytes moved, tiles shared by cores.
#pragma once

#include <string>
#include <vector>

#include "report/views/figures.hpp"
#include "schedule/problem/schedule.hpp"

namespace tilewright::views {

struct ScheduledLayer {
    std::string name;
    schedule::Problem problem;
    schedule::Schedule schedule;
};

/// "gantt" and "scratchpad" of every layer, "operands" and "sharing" of all. Requires schedules valid for validate().
std::vector<Figure> schedule_figures(const std::vector<ScheduledLayer>& layers);

}  // namespace tilewright::views
