// Dependences in a schedule: operands, room, core or channel, and, under the rule `sum`, the previous phase.
//
// The schedule gives the order of a core's operations and of a channel's transfers; their start times follow from the
// dependences.
#pragma once

#include <vector>

#include "schedule/problem/schedule.hpp"

namespace tilewright::sim::npu {

/// Nodes: transfers, then executions, in schedule order, then scratchpad blocks, complete with their last use.
struct Dependences {
    int transfers = 0;
    int executions = 0;
    std::vector<int> missing;         ///< [node] its number of dependences
    std::vector<std::size_t> begins;  ///< [node], and one more: start of its part of `after`
    std::vector<int> after;           ///< dependent nodes
    std::vector<int> phase;           ///< [transfer or execution] all previous phases must be complete
    std::vector<int> phase_size;      ///< of each; one phase under `overlap`

    int nodes() const { return static_cast<int>(missing.size()); }
    bool is_transfer(int node) const { return node < transfers; }
    bool is_block(int node) const { return node >= transfers + executions; }
};

/// Requires a schedule accepted by validate(). Throws OverflowError beyond 2^30 nodes.
Dependences dependences_of(const schedule::OperationGraph& graph, const schedule::Schedule& schedule);

}  // namespace tilewright::sim::npu
