#include "timeloop/looptree/looptree.hpp"

#include <algorithm>
#include <cctype>
#include <map>

#include "base/error.hpp"
#include "mapping/fused/tree.hpp"
#include "workload/cascade/builder.hpp"

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

namespace {

// Tokens of "0 <= P1 < 128 and ..." or "[ 2*P + R, C ]".
std::vector<std::string> tokens_of(const std::string& text) {
    std::vector<std::string> tokens;
    const auto is_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
    for (std::size_t i = 0; i < text.size();) {
        if (std::isspace(static_cast<unsigned char>(text[i])) != 0) {
            ++i;
            continue;
        }
        std::size_t end = i + 1;
        if (is_word(text[i]))
            while (end < text.size() && is_word(text[end])) ++end;
        else if (text.compare(i, 2, "<=") == 0)
            end = i + 2;
        tokens.push_back(text.substr(i, end - i));
        i = end;
    }
    return tokens;
}

bool is_number(const std::string& token) {
    constexpr std::size_t kMostDigits = 15;
    return !token.empty() && token.size() <= kMostDigits && token.find_first_not_of("0123456789") == std::string::npos;
}

std::map<std::string, std::int64_t> extents_of(const yaml::Node& instance) {
    std::map<std::string, std::int64_t> extents;
    const std::vector<std::string> tokens = tokens_of(instance.text());
    for (std::size_t i = 0; i < tokens.size(); i += 6) {
        const bool fits = i + 5 <= tokens.size() && tokens[i] == "0" && tokens[i + 1] == "<=" && tokens[i + 3] == "<" &&
                          is_number(tokens[i + 4]) && (i + 5 == tokens.size() || tokens[i + 5] == "and");
        if (!fits) instance.fail(ErrorCode::syntax, "expected '0 <= NAME < NUMBER and ...'");
        extents[tokens[i + 2]] = std::stoll(tokens[i + 4]);
    }
    return extents;
}

// Axes as sums: "[ C1, 2*P1 + R1 ]".
std::vector<Rank> ranks_of(const yaml::Node& projection, const Einsum& einsum) {
    const std::vector<std::string> tokens = tokens_of(projection.text());
    if (tokens.size() < 2 || tokens.front() != "[" || tokens.back() != "]")
        projection.fail(ErrorCode::syntax, "expected '[ AXIS, AXIS, ... ]'");
    std::vector<Rank> ranks(1);
    std::int64_t coefficient = 1;
    for (std::size_t i = 1; i + 1 < tokens.size(); ++i) {
        if (tokens[i] == ",") {
            ranks.emplace_back();
        } else if (is_number(tokens[i]) && tokens[i + 1] == "*") {
            coefficient = std::stoll(tokens[i++]);
        } else if (tokens[i] != "+") {
            const int dimension = find_dimension(einsum, tokens[i]);
            if (dimension < 0)
                projection.fail(ErrorCode::unknown_name,
                                "'" + tokens[i] + "' is no dimension of '" + einsum.name + "'");
            ranks.back().terms.push_back({dimension, coefficient});
            coefficient = 1;
        }
    }
    return ranks;
}

Einsum read_shape(const yaml::Node& layer) {
    const yaml::Node& shape = layer.at("shape");
    Einsum einsum{shape.at("name").text(), {}, {}};
    const std::map<std::string, std::int64_t> extents = extents_of(layer.at("instance"));
    for (const yaml::Node& name : shape.at("dimensions").items()) {
        const auto extent = extents.find(name.text());
        if (extent == extents.end())
            name.fail(ErrorCode::missing_key, "'instance' does not bound '" + name.text() + "'");
        einsum.dimensions.push_back({name.text(), extent->second});
    }
    for (const yaml::Node& space : shape.at("data_spaces").items()) {
        const yaml::Node* written = space.find("read_write");
        einsum.tensors.push_back({space.at("name").text(), ranks_of(space.at("projection"), einsum),
                                  written != nullptr && written->boolean(), 0});
    }
    if (const std::string problem = problem_with(einsum); !problem.empty())
        shape.fail(ErrorCode::bad_value, "einsum '" + einsum.name + "': " + problem);
    return einsum;
}

std::vector<std::int64_t> reach_of(const Einsum& einsum, const Tensor& tensor) {
    std::vector<std::int64_t> shape;
    for (const Rank& rank : tensor.ranks) {
        std::int64_t last = 0;
        for (const Term& term : rank.terms) last += term.coefficient * (einsum.dimensions[term.dimension].extent - 1);
        shape.push_back(last + 1);
    }
    return shape;
}

TensorRole tensor_role(const std::string& name, const std::vector<Einsum>& einsums) {
    bool written = false;
    bool read = false;
    for (const Einsum& einsum : einsums)
        if (const int t = find_tensor(einsum, name); t >= 0) (einsum.tensors[t].written ? written : read) = true;
    return !written ? TensorRole::input : read ? TensorRole::intermediate : TensorRole::output;
}

}  // namespace

Cascade read_looptree_problem(const yaml::Node& problem) {
    std::vector<Einsum> einsums;
    for (const yaml::Node& layer : problem.items()) einsums.push_back(read_shape(layer));
    CascadeBuilder builder("looptree");
    std::map<std::string, int> tensors;
    for (const Einsum& einsum : einsums) {
        CascadeEinsum one{einsum.name, "Einsum", einsum};
        for (const Tensor& tensor : einsum.tensors) {
            if (!tensors.contains(tensor.name))
                tensors[tensor.name] =
                    builder.tensor(tensor.name, tensor_role(tensor.name, einsums), reach_of(einsum, tensor));
            one.accesses.push_back(plain_access(tensors[tensor.name], tensor));
        }
        builder.einsum(std::move(one));
    }
    if (const std::string wrong = problem_with(builder.so_far()); !wrong.empty())
        problem.fail(ErrorCode::bad_value, wrong);
    return builder.take();
}

}  // namespace tilewright::timeloop
