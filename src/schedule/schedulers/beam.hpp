// Look-ahead for the list scheduler: a beam over sets of operations.
//
// Beyond Flexer, whose algorithm 1 takes the set of the highest priority and never looks back. Here the few best sets
// of every partial schedule are carried out, and the partial schedules that promise most go on.
#pragma once

#include <optional>

#include "schedule/scratchpad/timeline.hpp"

namespace tilewright::schedule {

struct BeamOptions {
    LatencyRule rule = LatencyRule::overlap;
    int width = 4;   ///< partial schedules that go on; at least 1
    int branch = 3;  ///< sets that are tried from each; at least 1
};

/// The best schedule that the beam comes to; nothing when none can be as good as the cutoff asks. A partial schedule
/// is judged by what it has done, what has still to be computed, and what has still to be moved: tiles that never came,
/// outputs, and tiles that left with uses left. With width 1 and branch 1 it is the list scheduler.
std::optional<Schedule> beam_schedule(const OperationGraph& graph, const BeamOptions& options, const Cutoff& cutoff);

}  // namespace tilewright::schedule
