#include <algorithm>

#include "base/error.hpp"
#include "mapping/fused/tree.hpp"
#include "timeloop/looptree/looptree.hpp"

namespace tilewright::timeloop {
namespace {

constexpr int kDeepestTree = 256;

class LoopTreeReader {
   public:
    LoopTreeReader(const Cascade& cascade, const Architecture& architecture)
        : cascade_(cascade), architecture_(architecture) {}

    PlacedFusedMapping read(const yaml::Node& mapping) {
        mapping.expect_keys({"type", "nodes"});
        if (mapping.at("type").text() != "fused")
            mapping.at("type").fail(ErrorCode::bad_value,
                                    "expected 'fused', found '" + mapping.at("type").text() + "'");
        placed_.whole = mapping.where();
        read_branch(mapping.at("nodes"), -1, 0);
        for (const auto& [node, name] : loops_) resolve(node, name);
        const TreeProblem problem = problem_with_tree(cascade_, architecture_.memory_count(), placed_.mapping);
        if (!problem.message.empty()) mapping.fail(ErrorCode::bad_value, problem.message);
        return std::move(placed_);
    }

   private:
    int add(int parent, const yaml::Node& place, decltype(FusedNode::what) what) {
        placed_.nodes.push_back(place.where());
        return append(placed_.mapping, parent, std::move(what));
    }

    static const std::string& type_of(const yaml::Node& node) { return node.at("type").text(); }

    void read_branch(const yaml::Node& list, int parent, int depth) {
        const std::vector<yaml::Node>& nodes = list.items();
        if (nodes.empty()) list.fail(ErrorCode::bad_value, "expected nodes");
        if (depth > kDeepestTree) list.fail(ErrorCode::bad_value, "the tree is too deep");
        const bool computes = type_of(nodes.back()) == "compute";
        if (!computes && type_of(nodes.back()) != "sequential")
            nodes.back().fail(
                ErrorCode::unsupported,
                "expected 'compute' or 'sequential' at the end of a branch, found '" + type_of(nodes.back()) + "'");
        // Loops right before the compute node are the leaf's own.
        std::size_t own = nodes.size() - 1;
        while (computes && own > 0 && type_of(nodes[own - 1]) == "temporal") --own;
        for (std::size_t i = 0; i < (computes ? own : nodes.size() - 1); ++i) parent = read_node(nodes[i], parent);
        if (computes) {
            read_leaf({nodes.begin() + static_cast<std::ptrdiff_t>(own), nodes.end()}, parent);
            return;
        }
        nodes.back().expect_keys({"type", "branches"});
        const int split = add(parent, nodes.back(), SequentialSplit{});
        for (const yaml::Node& branch : nodes.back().at("branches").items()) read_branch(branch, split, depth + 1);
    }

    int read_node(const yaml::Node& node, int parent) {
        if (type_of(node) == "temporal") {
            node.expect_keys({"type", "rank", "tile_shape"});
            const int loop = add(parent, node, SharedLoop{-1, node.at("tile_shape").positive()});
            loops_.emplace_back(loop, node.at("rank"));
            return loop;
        }
        if (type_of(node) != "storage")
            node.at("type").fail(
                ErrorCode::unsupported,
                "expected 'storage', 'temporal', 'sequential' or 'compute', found '" + type_of(node) + "'");
        node.expect_keys({"type", "target", "dspace"});
        SharedStore store{target(node, architecture_.memory_count() - 1), {}};
        for (const yaml::Node& name : node.at("dspace").items()) {
            const int tensor = find_tensor(cascade_, name.text());
            if (tensor < 0) name.fail(ErrorCode::unknown_tensor, "there is no tensor '" + name.text() + "'");
            store.tensors.push_back(tensor);
        }
        return add(parent, node, store);
    }

    static int target(const yaml::Node& node, int last) {
        const std::int64_t target = node.at("target").integer();
        if (target < 0 || target > last)
            node.at("target").fail(ErrorCode::unknown_level,
                                   "expected a level from 0 to " + std::to_string(last) + ", the outermost first");
        return static_cast<int>(target);
    }

    void read_leaf(const std::vector<yaml::Node>& nodes, int parent) {
        const yaml::Node& compute = nodes.back();
        compute.expect_keys({"type", "einsum", "target"});
        const int einsum = find_einsum(cascade_, compute.at("einsum").text());
        if (einsum < 0)
            compute.at("einsum").fail(ErrorCode::unknown_name,
                                      "there is no einsum '" + compute.at("einsum").text() + "'");
        static_cast<void>(target(compute, architecture_.memory_count()));
        LeafNest nest;
        for (std::size_t i = 0; i + 1 < nodes.size(); ++i) {
            nodes[i].expect_keys({"type", "rank", "tile_shape"});
            nest.nodes.emplace_back(LeafLoop{dimension(nodes[i].at("rank"), einsum),
                                             nodes[i].at("tile_shape").positive(), LoopKind::temporal});
        }
        add(parent, compute, FusedLeaf{einsum, {nest}});
    }

    int dimension(const yaml::Node& name, int einsum) const {
        const CascadeEinsum& one = cascade_.einsums[einsum];
        const int found = find_dimension(one.einsum, name.text());
        if (found < 0)
            name.fail(ErrorCode::unknown_name,
                      "'" + name.text() + "' is no dimension of '" + one.name + "', the last einsum inside the loop");
        return found;
    }

    void resolve(int node, const yaml::Node& name) {
        auto& nodes = placed_.mapping.nodes;
        auto last = static_cast<std::size_t>(node);
        while (last + 1 < nodes.size() && nodes[last + 1].parent >= node) ++last;
        const int einsum = std::get<FusedLeaf>(nodes[last].what).einsum;
        std::get<SharedLoop>(nodes[node].what).dimension = dimension(name, einsum);
    }

    const Cascade& cascade_;
    const Architecture& architecture_;
    PlacedFusedMapping placed_;
    std::vector<std::pair<int, yaml::Node>> loops_;
};

}  // namespace

PlacedFusedMapping read_looptree_mapping(const yaml::Node& mapping, const Cascade& cascade,
                                         const Architecture& architecture) {
    return LoopTreeReader(cascade, architecture).read(mapping);
}

}  // namespace tilewright::timeloop
