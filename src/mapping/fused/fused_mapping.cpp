#include "mapping/fused/fused_mapping.hpp"

namespace tilewright {

int append(FusedMapping& mapping, int parent, decltype(FusedNode::what) what) {
    mapping.nodes.push_back({parent, std::move(what)});
    return static_cast<int>(mapping.nodes.size()) - 1;
}

}  // namespace tilewright
