// Look-ahead for the list scheduler: a beam over sets of operations.
//
// Beyond Flexer, whose algorithm 1 greedily takes the highest-priority set: here the few best sets of every partial
// schedule are executed, and the most promising partial schedules continue.
#pragma once

#include <optional>

#include "schedule/scratchpad/timeline.hpp"

namespace tilewright::schedule {

struct BeamOptions {
    LatencyRule rule = LatencyRule::overlap;
    int width = 4;   ///< surviving partial schedules; at least 1
    int branch = 3;  ///< sets tried from each; at least 1
};

/// The beam's best schedule; empty if none can reach the cutoff. A partial schedule is valued by its cost so far, its
/// remaining computation, and its remaining traffic: tiles never loaded, outputs, and evicted tiles with uses left.
/// With width 1 and branch 1 it is the list scheduler.
std::optional<Schedule> beam_schedule(const OperationGraph& graph, const BeamOptions& options, const Cutoff& cutoff);

}  // namespace tilewright::schedule
