// Sets of operations on a scratchpad divided into one region of equal slots per operand.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "schedule/scratchpad/timeline.hpp"

namespace tilewright::schedule {

class SetSource {
   public:
    virtual ~SetSource() = default;
    /// Replaces `set` by the next one; false, and an empty set, at the end.
    virtual bool next(std::vector<int>& set) = 0;
};

/// Victim in a full region; a free slot comes first, the longest free one.
enum class Replacement {
    oldest,    ///< least recently used: the behaviour of loops over fixed regions
    farthest,  ///< latest next use (Belady: minimal loads), possibly with its last use still in progress
    patient,   ///< latest next use among tiles unused by the previous set, if any
};

/// Runs these sets in this order; a set may hold any operations ready by then, and a final output is stored at once.
/// Requires slots for every set's tiles, and fitting regions.
Schedule run_in_regions(const OperationGraph& graph, const std::vector<std::vector<int>>& sets,
                        const std::array<std::int64_t, kOperands>& slots, LatencyRule rule, Replacement replacement);

/// The same; empty once the cutoff is out of reach.
std::optional<Schedule> run_in_regions(const OperationGraph& graph, const std::vector<std::vector<int>>& sets,
                                       const std::array<std::int64_t, kOperands>& slots, LatencyRule rule,
                                       Replacement replacement, const Cutoff& cutoff);

/// From a source, under Replacement::oldest, which needs no future sets.
std::optional<Schedule> run_in_regions(const OperationGraph& graph, SetSource& sets,
                                       const std::array<std::int64_t, kOperands>& slots, LatencyRule rule,
                                       const Cutoff& cutoff);

}  // namespace tilewright::schedule
