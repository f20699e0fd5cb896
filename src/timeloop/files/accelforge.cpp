#include "timeloop/files/accelforge.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/error.hpp"

namespace tilewright::timeloop {
namespace {

using yaml::Node;

constexpr int kDeepestNode = 100;  // the readers refuse deeper nodes

// Tags absent from Timeloop's hierarchies.
bool is_own_tag(const Node& node) {
    static constexpr std::array<std::string_view, 9> kTags{"!Memory",  "!Compute",  "!Toll",    "!Fork",      "!Array",
                                                           "!Storage", "!Temporal", "!Spatial", "!Sequential"};
    return std::find(kTags.begin(), kTags.end(), node.tag()) != kTags.end();
}

bool has_own_node(const Node& section, int depth) {
    const Node* nodes = section.is_map() && depth < kDeepestNode ? section.find("nodes") : nullptr;
    if (nodes == nullptr || !nodes->is_sequence()) return false;
    return std::ranges::any_of(nodes->items(),
                               [&](const Node& node) { return is_own_tag(node) || has_own_node(node, depth + 1); });
}

bool has_any(const Node& section, std::initializer_list<const char*> keys) {
    return section.is_map() && std::ranges::any_of(keys, [&](const char* key) { return section.has(key); });
}

bool is_accelforge(const Node::Entry& section) {
    if (section.key == "workload") return has_any(section.value, {"einsums", "rank_sizes"});
    if (section.key == "arch" || section.key == "architecture")
        return has_own_node(section.value, 0) || has_any(section.value, {"extra_attributes_for_all_component_models"});
    return section.key == "mapping" && has_own_node(section.value, 0);
}

}  // namespace

void refuse_accelforge(const yaml::Node& document) {
    for (const Node::Entry& section : document.entries())
        if (is_accelforge(section))
            section.key_node.fail(ErrorCode::unsupported, "this is a file of AccelForge, whose '" + section.key +
                                                              "' is not Timeloop's; AccelForge's files are not read");
}

}  // namespace tilewright::timeloop
