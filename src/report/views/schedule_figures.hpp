// Pictures of schedules: activities of cores and channels, scratchpad contents, bytes moved, tiles shared by cores.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "explore/store.hpp"
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

// Pictures of an exploration: its designs between two metrics, and the best of them across all knobs and metrics.

/// `objectives`: two or three metrics; of three, the first two are drawn against each other. `coloured_by`: a knob with
/// colours for its values (in ranges, if many). None without a valid design.
std::vector<Figure> exploration_figures(const explore::Specification& specification,
                                        const std::vector<explore::Row>& rows,
                                        const std::vector<std::size_t>& objectives, const std::string& title,
                                        std::optional<std::size_t> coloured_by = std::nullopt);

}  // namespace tilewright::views
