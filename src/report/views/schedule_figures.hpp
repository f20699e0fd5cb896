// Pictures of schedules: what every core and channel does when, what lies where in the scratchpad, which bytes move and
// which tiles cores share.
#pragma once

#include <string>
#include <vector>

#include "report/views/figures.hpp"
#include "schedule/problem/schedule.hpp"

namespace tilewright::views {

/// One layer's schedule.
struct ScheduledLayer {
    std::string name;
    schedule::Problem problem;
    schedule::Schedule schedule;
};

/// "gantt" and "scratchpad" of every layer, then "operands" and "sharing" of all. Requires schedules that validate()
/// accepts.
std::vector<Figure> schedule_figures(const std::vector<ScheduledLayer>& layers);

}  // namespace tilewright::views
