// Flexer's Algorithm 1: the list scheduler on every tiling with every data flow (lines 2-11), the best by the
// objective.
//
// Only provably inferior work is cut: tilings with a lower bound above the incumbent, schedules whose remaining
// computation and traffic exceed it, and pairs of tiling and data flow equal to an earlier one (flexer.cpp). The
// score is that of the uncut loop; a test compares the two.
#pragma once

#include <optional>
#include <vector>

#include "base/stop.hpp"
#include "schedule/problem/bounds.hpp"
#include "schedule/schedulers/list_scheduler.hpp"

namespace tilewright::schedule {

struct FlexerOptions {
    LatencyRule rule = LatencyRule::overlap;
    Objective objective;
    SetPriority priority = SetPriority::memory_benefit;
    MemoryPolicy memory = MemoryPolicy::least_fragmentation;
    bool cuts = true;        ///< false: every schedule is completed
    Deadline deadline = {};  ///< then the best so far is returned
    /// Only improvements are wanted: no answer if Algorithm 1 has none.
    std::optional<Score> better_than = std::nullopt;
};

struct FlexerEffort {
    std::int64_t tilings = 0;       ///< fitting ones
    std::int64_t ruled_out = 0;     ///< of those, by their bound, before any data flow
    std::int64_t schedules = 0;     ///< completed ones
    std::int64_t given_up = 0;      ///< on the way
    std::int64_t alike = 0;         ///< skipped as equal to an earlier one
    std::int64_t tilings_left = 0;  ///< when stopped: tilings with untried data flows

    bool operator==(const FlexerEffort&) const = default;
};

struct FlexerAnswer {
    std::optional<Found> best;  ///< none if no tiling fits, or it was stopped before the first
    FlexerEffort effort;
};

/// Requires all tilings of the layer, best bound first. The same answer on any number of threads, unless stopped.
FlexerAnswer flexer(const MultiNpu& machine, const ConvLayer& layer, const std::vector<BoundedTiling>& tilings,
                    const FlexerOptions& options, const StopSource& stop);

/// "list: ow oh ic oc"
std::string flow_text(const std::array<Dim, kDims>& data_flow);

}  // namespace tilewright::schedule
