// Flexer's Algorithm 1: the list scheduler on every tiling with every data flow (lines 2-11), the best by
// the objective.
//
// What cannot be the best is left out, and nothing else: tilings whose lower bound exceeds the best so far, schedules
// that are given up once what is left to compute and to move exceeds it, and pairs of a tiling and a data flow that the
// scheduler cannot tell from one before (canonical.hpp). The answer's score is the one that the loop without cuts
// comes to; a test compares the two.
#pragma once

#include <optional>
#include <vector>

#include "base/stop.hpp"
#include "schedule/problem/found.hpp"
#include "schedule/problem/tilings.hpp"
#include "schedule/schedulers/list_scheduler.hpp"

namespace tilewright::schedule {

struct FlexerOptions {
    LatencyRule rule = LatencyRule::overlap;
    Objective objective;
    SetPriority priority = SetPriority::memory_benefit;
    MemoryPolicy memory = MemoryPolicy::least_fragmentation;
    bool cuts = true;        ///< false: every schedule is made to its end
    Deadline deadline = {};  ///< the best so far is returned then
    /// Only a better one is asked for: none is the answer where Algorithm 1 has none.
    std::optional<Score> better_than = std::nullopt;
};

struct FlexerEffort {
    std::int64_t tilings = 0;       ///< that fit
    std::int64_t ruled_out = 0;     ///< of those, by their bound, before any data flow
    std::int64_t schedules = 0;     ///< that were made to the end
    std::int64_t given_up = 0;      ///< on the way
    std::int64_t alike = 0;         ///< not made, because one before was the same to the scheduler
    std::int64_t tilings_left = 0;  ///< when it was stopped: tilings some data flows of which were not tried

    bool operator==(const FlexerEffort&) const = default;
};

struct FlexerAnswer {
    std::optional<Found> best;  ///< none when no tiling fits, or it was stopped before the first
    FlexerEffort effort;
};

/// Requires all tilings of the layer, best bound first. The same answer on any number of threads, unless it is stopped.
FlexerAnswer flexer(const MultiNpu& machine, const ConvLayer& layer, const std::vector<BoundedTiling>& tilings,
                    const FlexerOptions& options, const StopSource& stop);

/// "list: ow oh ic oc"
std::string flow_text(const std::array<Dim, kDims>& data_flow);

}  // namespace tilewright::schedule
