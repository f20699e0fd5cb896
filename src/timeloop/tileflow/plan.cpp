#include "timeloop/tileflow/plan.hpp"

#include <algorithm>
#include <map>

#include "base/numbers/checked.hpp"
#include "timeloop/tileflow/tree.hpp"

namespace tilewright::tileflow {
namespace {

using Kind = TreeNode::Kind;

std::unique_ptr<PlanNode> copied(const TreeNode& node) {
    auto made = std::make_unique<PlanNode>();
    made->kind = node.kind;
    made->memory = node.memory;
    made->operation = node.operation;
    made->multicasts = node.multicasts;
    made->bypassed = node.bypassed;
    made->loops = node.loops;
    return made;
}

void adopt(PlanNode& above, std::unique_ptr<PlanNode> child) {
    child->above = &above;
    above.inside.push_back(std::move(child));
}

// A spatial tile around a scope encloses each of its branches.
std::unique_ptr<PlanNode> shape_of(const TreeNode& node) {
    if (node.kind != Kind::spatial || !node.inside.front().is_scope()) {
        auto made = copied(node);
        for (const TreeNode& child : node.inside) adopt(*made, shape_of(child));
        return made;
    }
    const TreeNode& scope = node.inside.front();
    auto made = copied(scope);
    for (const TreeNode& branch : scope.inside) {
        TreeNode spread = node;
        spread.inside = {branch};
        adopt(*made, shape_of(spread));
    }
    return made;
}

class Planner {
   public:
    Planner(const Problem& problem, const Architecture& architecture, const Rules& rules)
        : problem_(problem), architecture_(architecture), rules_(rules) {}

    std::unique_ptr<PlanNode> plan(const TreeNode& tree) {
        std::unique_ptr<PlanNode> root = shape_of(tree);
        measure(*root, tree, 1);
        place(*root, {});
        collect_operations(*root);
        find_moved_tensors(*root);
        return root;
    }

   private:
    /// The next free instance of a fan-out: TileFlow fills columns.
    struct Free {
        std::int64_t x = 0;
        std::int64_t y = 0;
        std::int64_t most_x = 0;
    };

    void measure(PlanNode& node, const TreeNode& tree, std::int64_t copies);
    void join_extents(PlanNode& node, const PlanNode& child, const TreeNode& tree) const;
    Free place(PlanNode& node, Free free);
    Free place_tile(PlanNode& node, Free free);
    Free place_branches(PlanNode& node, Free free);
    void collect_operations(PlanNode& node);
    void find_moved_tensors(PlanNode& root);
    void move(int tensor, PlanNode* maker, PlanNode* reader, PlanNode& root);

    const Problem& problem_;
    const Architecture& architecture_;
    const Rules& rules_;
    std::vector<PlanNode*> operations_;  // in the order of the tree
};

void Planner::join_extents(PlanNode& node, const PlanNode& child, const TreeNode& tree) const {
    for (std::size_t d = 0; d < problem_.dimensions.size(); ++d) {
        std::int64_t& own = node.extents[d];
        const std::int64_t other = child.extents[d];
        if (own != 1 && other != 1 && own != other)
            throw InputError(ErrorCode::bad_value, tree.where,
                             "the branches make tiles of " + std::to_string(own) + " and " + std::to_string(other) +
                                 " along '" + problem_.dimensions[d].name + "'");
        own = std::max(own, other);
    }
}

// From the operations outwards.
void Planner::measure(PlanNode& node, const TreeNode& tree, std::int64_t copies) {
    node.copies = copies;
    TreeNode uses = tree;
    uses.kind = node.kind;
    uses.loops = node.loops;
    node.used = instances_of(uses);
    if (node.kind == Kind::spatial) node.fanout = fanout_below(architecture_, node.memory);
    node.extents.fill(1);
    for (const std::unique_ptr<PlanNode>& child : node.inside) {
        measure(*child, tree, checked_mul(copies, node.used.size()));
        join_extents(node, *child, tree);
    }
    node.steps.resize(node.loops.size());
    for (std::size_t i = node.loops.size(); i-- > 0;) {
        std::int64_t& extent = node.extents[node.loops[i].dimension];
        node.steps[i] = extent;
        extent = checked_mul(extent, node.loops[i].count);
    }
}

// In TileFlow a pipeline's next branch starts after the innermost tile of the previous one, one column of one row:
// branches side by side overlap.
Planner::Free Planner::place_tile(PlanNode& node, Free free) {
    const Mesh there = node.kind == Kind::spatial ? node.fanout : Mesh{};
    if (free.y + node.used.y <= there.y) {
        node.first_x = free.x;
        node.first_y = free.y;
        free = {free.x, free.y + node.used.y, std::max(free.most_x, free.x + node.used.x)};
    } else {
        node.first_x = free.most_x;
        node.first_y = 0;
        free = {free.most_x, node.used.y, free.most_x + node.used.x};
    }
    if (node.inside.front()->kind != Kind::operation) free = place(*node.inside.front(), {});
    return free;
}

Planner::Free Planner::place_branches(PlanNode& node, Free free) {
    const bool side_by_side = node.kind == Kind::pipeline || node.kind == Kind::parallel;
    Free after = side_by_side ? free : Free{};
    for (const std::unique_ptr<PlanNode>& child : node.inside) {
        const Free left = place(*child, side_by_side ? after : free);
        after = side_by_side
                    ? left
                    : Free{std::max(after.x, left.x), std::max(after.y, left.y), std::max(after.most_x, left.most_x)};
    }
    return after;
}

Planner::Free Planner::place(PlanNode& node, Free free) {
    return node.is_scope() ? place_branches(node, free) : place_tile(node, free);
}

void Planner::collect_operations(PlanNode& node) {
    if (node.kind == Kind::operation) operations_.push_back(&node);
    for (const std::unique_ptr<PlanNode>& child : node.inside) collect_operations(*child);
}

std::vector<PlanNode*> path_to(PlanNode* node) {
    std::vector<PlanNode*> path;
    for (; node != nullptr; node = const_cast<PlanNode*>(node->above)) path.insert(path.begin(), node);
    return path;
}

// From the last common node.
void keep_from_common(std::vector<PlanNode*>& a, std::vector<PlanNode*>& b) {
    std::size_t common = 0;
    while (common < a.size() && common < b.size() && a[common] == b[common]) ++common;
    a.erase(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(common) - 1);
    b.erase(b.begin(), b.begin() + static_cast<std::ptrdiff_t>(common) - 1);
}

void drop_scopes(std::vector<PlanNode*>& path) {
    while (!path.empty() && !path.front()->is_tile()) path.erase(path.begin());
}

// A tensor resides at the meeting point of its producer and consumers, and moves on the paths down from there. No
// producer: an input; no consumer: an output.
void Planner::move(int tensor, PlanNode* maker, PlanNode* reader, PlanNode& root) {
    std::vector<PlanNode*> made = path_to(maker == nullptr ? &root : maker);
    std::vector<PlanNode*> used = path_to(reader == nullptr ? &root : reader);
    keep_from_common(made, used);
    if (!rules_.scopes_hold) {
        drop_scopes(made);
        drop_scopes(used);
    }
    const bool goes_on = problem_.tensors[tensor].written;
    for (std::size_t i = 0; maker != nullptr && i < made.size(); ++i) {
        if (made[i]->bypassed.contains(tensor)) continue;
        made[i]->updated.insert(tensor);
        if (goes_on) made[i]->read.insert(tensor);
        if (i + 1 == made.size()) break;
        made[i + 1]->written_back.insert(tensor);
        if (goes_on) made[i + 1]->filled.insert(tensor);
    }
    for (std::size_t i = 0; reader != nullptr && i < used.size(); ++i) {
        if (used[i]->bypassed.contains(tensor)) continue;
        used[i]->read.insert(tensor);
        if (i + 1 < used.size()) used[i + 1]->filled.insert(tensor);
    }
}

void Planner::find_moved_tensors(PlanNode& root) {
    std::map<int, PlanNode*> makers;
    for (const int tensor : problem_.inputs) makers[tensor] = nullptr;
    for (PlanNode* node : operations_) {
        const Operation& operation = problem_.operations[node->operation];
        for (const int tensor : operation.reads) {
            const auto maker = makers.find(tensor);
            if (maker == makers.end())
                throw InputError(ErrorCode::bad_value, {},
                                 "the tree runs operation '" + operation.name + "' before '" +
                                     problem_.tensors[tensor].name + "' is made");
            move(tensor, maker->second, node, root);
        }
        makers[operation.writes] = node;
    }
    for (const int tensor : problem_.outputs) move(tensor, makers.at(tensor), nullptr, root);
}

}  // namespace

std::unique_ptr<PlanNode> plan_of(const Problem& problem, const TreeNode& tree, const Architecture& architecture,
                                  const Rules& rules) {
    return Planner(problem, architecture, rules).plan(tree);
}

std::int64_t words_of(const account::BoxSet& set, int ranks) {
    std::int64_t words = 0;
    for (const account::Box& box : set) words += account::words(box, ranks);
    return words;
}

account::BoxSet without(const account::BoxSet& held, const account::BoxSet& before, int ranks) {
    account::BoxSet left = held;
    for (const account::Box& gone : before) {
        account::BoxSet next;
        for (const account::Box& box : left) account::subtract(box, gone, ranks, next);
        left = std::move(next);
    }
    std::ranges::sort(left);
    return left;
}

account::BoxSet moved(const account::BoxSet& set, const account::Point& by) {
    account::BoxSet result = set;
    for (account::Box& box : result) {
        box.low = account::sum(box.low, by);
        box.high = account::sum(box.high, by);
    }
    return result;
}

}  // namespace tilewright::tileflow
