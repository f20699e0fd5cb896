#include "accelforge/files/load.hpp"

#include "accelforge/expression/evaluate.hpp"

namespace tilewright::accelforge {
namespace {

using NodeKind = MappingNode::Kind;

constexpr int kDeepestMapping = 60;

std::vector<MappingNode> read_list(const yaml::Node& list, int depth);

std::vector<std::string> names_at(const yaml::Node& node) {
    if (node.is_scalar()) return {node.text()};
    std::vector<std::string> names;
    for (const yaml::Node& one : node.items()) names.push_back(one.text());
    return names;
}

MappingNode read_holder(const yaml::Node& node) {
    node.expect_keys({"tensors", "component", "persistent"});
    MappingNode made;
    made.kind = node.tag() == "!Toll" ? NodeKind::toll : NodeKind::storage;
    made.tensors = names_at(node.at("tensors"));
    made.component = node.at("component").text();
    if (const yaml::Node* persistent = node.find("persistent")) made.persistent = truth_at(*persistent, {});
    return made;
}

// AccelForge drops `initial_tile_shape` in mappings from files; counting without it would be another mapping.
MappingNode read_loop(const yaml::Node& node) {
    const bool spatial = node.tag() == "!Spatial";
    std::vector<std::string> known{"rank_variable", "tile_shape", "initial_tile_shape"};
    if (spatial) known.insert(known.end(), {"name", "component"});
    node.expect_keys(known);
    if (const yaml::Node* initial = node.find("initial_tile_shape"))
        initial->fail(ErrorCode::unsupported,
                      "AccelForge drops 'initial_tile_shape' of mappings from files; leave it out");
    MappingNode made;
    made.kind = spatial ? NodeKind::spatial : NodeKind::temporal;
    made.variable = node.at("rank_variable").text();
    made.tile_shape = number_at(node.at("tile_shape"), {});
    if (!(made.tile_shape >= 1.0 && made.tile_shape < 1e15))
        node.at("tile_shape").fail(ErrorCode::bad_value, "a tile has to be at least 1");
    if (spatial) {
        made.dimension = node.at("name").text();
        made.component = node.at("component").text();
    }
    return made;
}

MappingNode read_split(const yaml::Node& node, int depth) {
    node.expect_keys({"nodes"});
    MappingNode made;
    made.kind = NodeKind::split;
    for (const yaml::Node& branch : node.at("nodes").items()) {
        if (branch.tag() == "!Nested") {
            branch.expect_keys({"nodes"});
            made.branches.push_back(read_list(branch.at("nodes"), depth + 1));
        } else {
            made.branches.push_back(read_list(yaml::Node::sequence({branch}, branch), depth + 1));
        }
    }
    if (made.branches.empty()) node.fail(ErrorCode::bad_value, "a split needs branches");
    return made;
}

MappingNode read_compute(const yaml::Node& node) {
    node.expect_keys({"einsum", "component"});
    MappingNode made;
    made.kind = NodeKind::compute;
    made.einsum = node.at("einsum").text();
    made.component = node.at("component").text();
    return made;
}

MappingNode read_mapping_node(const yaml::Node& node, int depth) {
    const std::string& tag = node.tag();
    if (tag == "!Storage" || tag == "!Toll") return read_holder(node);
    if (tag == "!Temporal" || tag == "!Spatial") return read_loop(node);
    if (tag == "!Sequential" || tag == "!Pipeline") return read_split(node, depth);
    if (tag == "!Compute") return read_compute(node);
    static const std::vector<std::string> kKnown{"!Storage",    "!Toll",     "!Temporal", "!Spatial",
                                                 "!Sequential", "!Pipeline", "!Nested",   "!Compute"};
    node.fail(ErrorCode::unknown_key,
              "expected a node tagged " + list_words(kKnown) + ", found '" + tag + "'" + did_you_mean(tag, kKnown));
}

void append_node(const yaml::Node& node, int depth, std::vector<MappingNode>& nodes) {
    if (node.tag() == "!Reservation") return;
    if (node.tag() == "!Nested") {
        node.expect_keys({"nodes"});
        for (MappingNode& inner : read_list(node.at("nodes"), depth + 1)) nodes.push_back(std::move(inner));
        return;
    }
    nodes.push_back(read_mapping_node(node, depth));
    nodes.back().where = node.where();
}

bool ends(const std::vector<MappingNode>& nodes) {
    return !nodes.empty() && (nodes.back().kind == NodeKind::compute || nodes.back().kind == NodeKind::split);
}

std::vector<MappingNode> read_list(const yaml::Node& list, int depth) {
    if (depth > kDeepestMapping) list.fail(ErrorCode::unsupported, "nested deeper than 60 levels");
    std::vector<MappingNode> nodes;
    for (const yaml::Node& node : list.items()) {
        if (ends(nodes)) node.fail(ErrorCode::bad_value, "nothing can follow a compute or a split");
        append_node(node, depth, nodes);
    }
    if (!ends(nodes)) list.fail(ErrorCode::bad_value, "a branch has to end in a compute or a split");
    return nodes;
}

}  // namespace

MappingTree read_mapping(const yaml::Node& root) {
    const yaml::Node& section = root.at("mapping");
    section.expect_keys({"nodes"});
    return {read_list(section.at("nodes"), 0), section.where()};
}

}  // namespace tilewright::accelforge
