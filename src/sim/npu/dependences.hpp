// What everything in a schedule waits for: its operands, room, its core or channel, and, under the rule `sum`, the end
// of what ran before it.
//
// The order in which a core runs its operations, and a channel its transfers, is the schedule's; when they begin
// follows from what they wait for.
#pragma once

#include <vector>

#include "schedule/problem/schedule.hpp"

namespace tilewright::sim::npu {

/// Nodes are the transfers and then the executions, as they stand in the schedule, and then the blocks of the
/// scratchpad: those are done as soon as nothing uses them any more.
struct Dependences {
    int transfers = 0;
    int executions = 0;
    std::vector<int> missing;         ///< [node] nodes that have to be done before it begins
    std::vector<std::size_t> begins;  ///< [node], and one more: of its part of `after`
    std::vector<int> after;           ///< the nodes that wait for it
    std::vector<int> phase;           ///< [transfer or execution] all of the phases before have to be done, too
    std::vector<int> phase_size;      ///< of each; one phase under `overlap`

    int nodes() const { return static_cast<int>(missing.size()); }
    bool is_transfer(int node) const { return node < transfers; }
    bool is_block(int node) const { return node >= transfers + executions; }
};

/// Requires a schedule that validate() accepts. Throws OverflowError for more than 2^30 nodes.
Dependences dependences_of(const schedule::OperationGraph& graph, const schedule::Schedule& schedule);

}  // namespace tilewright::sim::npu
