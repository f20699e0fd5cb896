#include "mapping/fused/fused_mapping.hpp"

namespace tilewright {

bool is_open(const FusedLeaf& leaf) {
    return leaf.nests.size() == 1 && leaf.nests.front().box.empty() && leaf.nests.front().nodes.empty();
}

int append(FusedMapping& mapping, int parent, decltype(FusedNode::what) what) {
    mapping.nodes.push_back({parent, std::move(what)});
    return static_cast<int>(mapping.nodes.size()) - 1;
}

}  // namespace tilewright
