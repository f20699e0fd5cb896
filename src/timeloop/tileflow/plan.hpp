// A tree with what its counts need of every node: which tensors it moves, how far its loops step, where its instances
// lie. Internal to tileflow/.
#pragma once

#include <cstdint>
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
    std::set<int> bypassed;  ///< tensors that pass it by
    std::vector<TileLoop> loops;
    std::vector<std::int64_t> steps;  ///< of each loop, in its dimension
    account::Iteration extents{};     ///< of the box that one visit covers
    const PlanNode* above = nullptr;
    std::vector<std::unique_ptr<PlanNode>> inside;

    // Tensors that are read and written at the node, and that come in from and go out to the node above.
    std::set<int> read;
    std::set<int> updated;
    std::set<int> filled;
    std::set<int> written_back;

    Mesh used;    ///< instances that its loops take
    Mesh fanout;  ///< of a spatial tile: instances that there are
    std::int64_t first_x = 0;
    std::int64_t first_y = 0;
    std::int64_t copies = 1;  ///< of it, by the spatial tiles around it

    bool is_tile() const { return kind == TreeNode::Kind::temporal || kind == TreeNode::Kind::spatial; }
    bool is_scope() const { return !is_tile() && kind != TreeNode::Kind::operation; }
    bool is_below_spatial() const { return above != nullptr && above->kind == TreeNode::Kind::spatial; }
};

/// Throws InputError(bad_value) at a scope whose branches make tiles of different extents.
std::unique_ptr<PlanNode> plan_of(const Problem& problem, const TreeNode& tree, const Architecture& architecture,
                                  const Rules& rules);

}  // namespace tilewright::tileflow
