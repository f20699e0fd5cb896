// Cost of a TileFlow mapping by TileFlow's counting.
//
// Every visit of a tile refills its child, then adds, loop by loop, the change of one step times the number of steps; a
// step starts from the previous visit's contents. Fan-out instances with equal demand share one read; a neighbour's
// words come from it. Reads, fills and updates are per memory instance. Time: branches add up or the longest counts; a
// memory short of bandwidth stretches its consumers. docs/fusion.md has the table of recorded counts.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "arch/architecture.hpp"
#include "timeloop/tileflow/problem.hpp"
#include "timeloop/tileflow/tree.hpp"

namespace tilewright::tileflow {

/// Differences between TileFlow's releases. Default: its last release (d72d278).
struct Rules {
    bool axes_as_listed = false;          ///< a fault: tensor i takes the axes of the file's i-th data space
    bool scopes_hold = false;             ///< each branch of a scope fetches tensors between branches; no hand-over
    bool operations_of_one_unit = false;  ///< operations are not multiplied by their units
};
/// Of the release behind its recorded fused attention (4200e63).
inline constexpr Rules kRulesOfTheAttention{true, true, true};

struct TensorCounts {
    double reads = 0.0;
    double fills = 0.0;
    double updates = 0.0;
};

/// Per instance, except `accesses`, over all.
struct MemoryCounts {
    std::string memory;
    std::vector<TensorCounts> tensors;
    double accesses = 0.0;
    double slow_down = 0.0;       ///< maximum of cycles with bandwidth over cycles without
    double capacity_share = 0.0;  ///< maximum over its instances
    double instances_share = 0.0;
};

struct Counts {
    std::vector<MemoryCounts> memories;  ///< outermost first
    double operations = 0.0;
    std::int64_t cycles = 0;
};

/// Throws InputError at the tree's place for TileFlow's refusals, and unsupported for a tree with too many steps.
Counts count(const Problem& problem, const TreeNode& tree, const Architecture& architecture, const Rules& rules = {});

}  // namespace tilewright::tileflow
