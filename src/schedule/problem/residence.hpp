// Residences: tiles in the scratchpad with address and time. For pictures and traces; validate.hpp judges
// independently.
#pragma once

#include <vector>

#include "schedule/problem/schedule.hpp"

namespace tilewright::schedule {

/// A block with a tile: from the load, or the first operation of an output's chain, to its last use.
struct Residence {
    int tile = 0;  ///< of OperationGraph::tiles
    std::int64_t address = 0;
    std::int64_t begin = 0;  ///< cycles
    std::int64_t end = 0;
    std::uint64_t cores = 0;  ///< one bit per core using it
};

/// In the order of their ends. Requires a schedule accepted by validate().
std::vector<Residence> residences(const OperationGraph& graph, const Schedule& schedule);

}  // namespace tilewright::schedule
