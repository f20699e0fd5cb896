#include "timeloop/tileflow/levels.hpp"

#include "base/numbers/checked.hpp"

namespace tilewright::tileflow {

Mesh fanout_below(const Architecture& architecture, int memory) {
    const Mesh outer = architecture.memories[memory].mesh;
    const Mesh inner = architecture.memories[static_cast<std::size_t>(memory) + 1].mesh;
    return {inner.x / outer.x, inner.y / outer.y};
}

Mesh instances_of(const TreeNode& node) {
    Mesh used;
    if (node.kind != TreeNode::Kind::spatial) return used;
    for (const TileLoop& loop : node.loops) {
        std::int64_t& along = loop.along_y ? used.y : used.x;
        along = checked_mul(along, loop.count);
    }
    return used;
}

}  // namespace tilewright::tileflow
