// What a mapping of TileFlow's costs as TileFlow counts.
//
// Every visit of a tile fills its child anew and then adds, loop by loop, what one step of that loop changes, times how
// often it is taken; what a step finds is what the visit before it left. Instances of a fan-out that want the same
// words share one read, and words that a neighbour held come from there. Reads, fills and updates are those of one
// instance of a memory. Time: branches add up or the longest counts; a memory whose bandwidth does not suffice
// stretches what it feeds. docs/fusion.md has the table of recorded counts.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "arch/architecture.hpp"
#include "timeloop/tileflow/problem.hpp"
#include "timeloop/tileflow/tree.hpp"

namespace tilewright::tileflow {

/// In what TileFlow's releases differ. As they stand: its last release (d72d278).
struct Rules {
    bool axes_as_listed = false;  ///< a fault: the axes of tensor i are those of the i-th data space of the file
    bool scopes_hold = false;     ///< tensors between the branches of a scope are fetched by each, not handed on
    bool operations_of_one_unit = false;  ///< operations are not multiplied by the units that do them
};
/// Of the release that recorded its fused attention (4200e63).
inline constexpr Rules kRulesOfTheAttention{true, true, true};

struct TensorCounts {
    double reads = 0.0;
    double fills = 0.0;
    double updates = 0.0;
};

/// Of one instance, but for `accesses`, which are those of all.
struct MemoryCounts {
    std::string memory;
    std::vector<TensorCounts> tensors;
    double accesses = 0.0;
    double slow_down = 0.0;       ///< the largest: cycles with its bandwidth by cycles without
    double capacity_share = 0.0;  ///< the largest, of all its instances
    double instances_share = 0.0;
};

struct Counts {
    std::vector<MemoryCounts> memories;  ///< outermost first
    double operations = 0.0;
    std::int64_t cycles = 0;
};

/// Throws InputError at the tree's place for what TileFlow refuses, and unsupported for a tree with too many steps.
Counts count(const Problem& problem, const TreeNode& tree, const Architecture& architecture, const Rules& rules = {});

}  // namespace tilewright::tileflow
