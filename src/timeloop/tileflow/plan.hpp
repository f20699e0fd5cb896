// A tree with each node's counting data: moved tensors, loop steps, instance placement. Internal to tileflow/.
// Words of each tensor held by a memory instance, as sets of boxes. Internal to tileflow/.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include "timeloop/account/box.hpp"
#include "timeloop/tileflow/account.hpp"
#include "timeloop/tileflow/tree.hpp"

namespace tilewright::tileflow {

struct PlanNode {
    TreeNode::Kind kind = TreeNode::Kind::temporal;
    int memory = -1;
    int operation = -1;
    bool multicasts = true;
    std::set<int> bypassed;  ///< bypassing tensors
    std::vector<TileLoop> loops;
    std::vector<std::int64_t> steps;  ///< of each loop, in its dimension
    account::Iteration extents{};     ///< box of one visit
    const PlanNode* above = nullptr;
    std::vector<std::unique_ptr<PlanNode>> inside;

    // Tensors read and written at the node, and exchanged with the outer node.
    std::set<int> read;
    std::set<int> updated;
    std::set<int> filled;
    std::set<int> written_back;

    Mesh used;    ///< instances of its loops
    Mesh fanout;  ///< of a spatial tile: instances available
    std::int64_t first_x = 0;
    std::int64_t first_y = 0;
    std::int64_t copies = 1;  ///< of the node, by outer spatial tiles

    bool is_tile() const { return kind == TreeNode::Kind::temporal || kind == TreeNode::Kind::spatial; }
    bool is_scope() const { return !is_tile() && kind != TreeNode::Kind::operation; }
    bool is_below_spatial() const { return above != nullptr && above->kind == TreeNode::Kind::spatial; }
};

/// Throws InputError(bad_value) at a scope with tiles of different extents in its branches.
std::unique_ptr<PlanNode> plan_of(const Problem& problem, const TreeNode& tree, const Architecture& architecture,
                                  const Rules& rules);

/// By tensor; an empty set: none.
using HeldSets = std::vector<account::BoxSet>;
/// By inner memory instance of a fan-out (0 without one).
using HeldByInstance = std::map<std::int64_t, HeldSets>;

std::int64_t words_of(const account::BoxSet& set, int ranks);

account::BoxSet without(const account::BoxSet& held, const account::BoxSet& before, int ranks);

account::BoxSet moved(const account::BoxSet& set, const account::Point& by);

}  // namespace tilewright::tileflow
