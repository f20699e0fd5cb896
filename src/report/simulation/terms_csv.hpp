// Simulated runs for spreadsheets: one tidy row per layer and term.
//
//     network,architecture,memory,layer,repeats,term,model_cycles,simulated_cycles
//
// The terms of a layer add up to its cycles, of one run; `not_simulated` stands for a layer without them.
#pragma once

#include <string>

#include "report/simulation/schedule_replay.hpp"
#include "report/simulation/simulation.hpp"

namespace tilewright::report {

std::string simulation_csv(const Simulation& simulation);
/// Of schedules, without a network: that column is empty.
std::string replay_csv(const ScheduleReplay& replay);

}  // namespace tilewright::report
