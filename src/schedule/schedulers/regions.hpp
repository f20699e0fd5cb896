// Sets of operations on a scratchpad that is divided into one region of equal slots per operand.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "schedule/scratchpad/timeline.hpp"

namespace tilewright::schedule {

/// Sets of operations, one after the other.
class SetSource {
   public:
    virtual ~SetSource() = default;
    /// Replaces `set` by the next one; false, and an empty set, when there is none.
    virtual bool next(std::vector<int>& set) = 0;
};

/// Which tile of a full region makes room for another; a free slot comes first, the one free for longest.
enum class Replacement {
    oldest,    ///< the one used longest ago: what loops over fixed regions do
    farthest,  ///< the one needed latest (Belady: no other rule loads less), whose last use may still be going on
    patient,   ///< the one needed latest of those that the set before did not use, where there is one
};

/// Runs these sets in this order; each may hold any operations whose chains have come so far, and a finished output is
/// stored at once. Requires slots for the tiles of every set, and regions that fit.
Schedule run_in_regions(const OperationGraph& graph, const std::vector<std::vector<int>>& sets,
                        const std::array<std::int64_t, kOperands>& slots, LatencyRule rule, Replacement replacement);

/// The same; nothing as soon as the schedule cannot be as good as the cutoff asks.
std::optional<Schedule> run_in_regions(const OperationGraph& graph, const std::vector<std::vector<int>>& sets,
                                       const std::array<std::int64_t, kOperands>& slots, LatencyRule rule,
                                       Replacement replacement, const Cutoff& cutoff);

/// Those of a source, under Replacement::oldest, which needs to know nothing of the sets to come.
std::optional<Schedule> run_in_regions(const OperationGraph& graph, SetSource& sets,
                                       const std::array<std::int64_t, kOperands>& slots, LatencyRule rule,
                                       const Cutoff& cutoff);

}  // namespace tilewright::schedule
