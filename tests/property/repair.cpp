#include "repair.hpp"

#include <algorithm>
#include <utility>

namespace tilewright::property {
namespace {

/// The loops of one dimension, innermost first.
std::vector<Loop*> loops_over(std::vector<MappingLevel>& levels, int dimension) {
    std::vector<Loop*> loops;
    for (auto level = levels.rbegin(); level != levels.rend(); ++level)
        for (std::vector<Loop>* list : {&level->spatial, &level->temporal})
            for (auto loop = list->rbegin(); loop != list->rend(); ++loop)
                if (loop->dimension == dimension) loops.push_back(&*loop);
    return loops;
}

/// Extents and remainders as digits of extent - 1 in a mixed radix, innermost loop first. What is left over goes to the
/// outermost loop, or to a new temporal one outside everything when that one is spatial.
void cover(std::vector<MappingLevel>& levels, int dimension, std::int64_t extent) {
    std::int64_t rest = extent - 1;
    Loop* outermost = nullptr;
    for (Loop* loop : loops_over(levels, dimension)) {
        loop->extent = std::min(loop->extent, rest + 1);
        loop->remainder = rest % loop->extent + 1;
        rest /= loop->extent;
        outermost = loop;
    }
    if (rest == 0) return;
    if (outermost != nullptr && !outermost->is_spatial()) {
        rest = rest * outermost->extent + outermost->remainder - 1;
        outermost->extent = outermost->remainder = rest + 1;
        return;
    }
    std::vector<Loop>& top = levels.front().temporal;
    top.insert(top.begin(), Loop{dimension, rest + 1, rest + 1, LoopKind::temporal});
}

void drop_trivial_spatial_loops(std::vector<MappingLevel>& levels) {
    for (MappingLevel& level : levels) std::erase_if(level.spatial, [](const Loop& loop) { return loop.extent == 1; });
}

void fit_meshes(Architecture& architecture, const std::vector<MappingLevel>& levels) {
    Mesh mesh;
    for (std::size_t m = 0; m < levels.size(); ++m) {
        Memory& memory = architecture.memories[m];
        memory.mesh = mesh;
        memory.instances = mesh.size();
        if (memory.instances % memory.cluster_size != 0) memory.cluster_size = 1;
        for (const Loop& loop : levels[m].spatial) (loop.kind == LoopKind::spatial_x ? mesh.x : mesh.y) *= loop.extent;
    }
    architecture.compute.mesh = mesh;
    architecture.compute.instances = mesh.size();
}

}  // namespace

void repair(Nest& nest, std::vector<MappingLevel> levels) {
    for (int d = 0; d < nest.einsum.dimension_count(); ++d) cover(levels, d, nest.einsum.dimensions[d].extent);
    drop_trivial_spatial_loops(levels);
    fit_meshes(nest.architecture, levels);
    nest.mapping = mapping_of(levels);
}

void repair(Nest& nest) { repair(nest, levels_of(nest.mapping, nest.architecture.memory_count())); }

}  // namespace tilewright::property
