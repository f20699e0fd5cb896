// Replays schedules cycle by cycle, in parallel.
//
//     const report::ScheduleReplay replay = ...;
//     replay.layers = simulate_schedules(layers, options, {.stop = &stop});
//
// Free functions on values. Any number of threads gives the same answers.
#pragma once

#include <vector>

#include "native/schedule.hpp"
#include "report/simulation/schedule_replay.hpp"
#include "run/simulate/simulate_network.hpp"

namespace tilewright {

/// In the order of `layers`. Requires schedules accepted by schedule::validate(), and
/// sim::npu::problem_with(options).empty().
std::vector<report::ReplayedLayer> simulate_schedules(const std::vector<native::LayerSchedule>& layers,
                                                      const sim::npu::ReplayOptions& options,
                                                      const SimulationControl& control = {});

}  // namespace tilewright
