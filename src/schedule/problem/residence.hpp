// Residences: which tile lies where in the scratchpad, from when to when. For pictures and traces; validate.hpp judges
// schedules by itself.
#pragma once

#include <vector>

#include "schedule/problem/schedule.hpp"

namespace tilewright::schedule {

/// A block of the scratchpad that holds a tile: from the load, or the first operation that adds to an output, to its
/// last use.
struct Residence {
    int tile = 0;  ///< of OperationGraph::tiles
    std::int64_t address = 0;
    std::int64_t begin = 0;  ///< cycles
    std::int64_t end = 0;
    std::uint64_t cores = 0;  ///< a bit for each core that used it
};

/// In the order of their ends. Requires a schedule that validate() accepts.
std::vector<Residence> residences(const OperationGraph& graph, const Schedule& schedule);

}  // namespace tilewright::schedule
