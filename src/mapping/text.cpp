#include "mapping/text.hpp"

#include "base/error.hpp"
#include "mapping/tile.hpp"

namespace tilewright {
namespace {

std::string store_text(const Einsum& einsum, const Architecture& architecture, const Store& store,
                       const Extents& tile) {
    std::string title = architecture.memories[store.memory].name + " [ ";
    for (int t = 0; t < einsum.tensor_count(); ++t)
        if (store.tensors.has(t))
            title += einsum.tensors[t].name + ":" + std::to_string(box_words(einsum.tensors[t], tile)) + " ";
    title += "]";
    return title + "\n" + std::string(title.size(), '-') + "\n";
}

std::string loop_text(const Einsum& einsum, const Loop& loop, int depth) {
    std::string text = "| " + std::string(static_cast<std::size_t>(2 * depth), ' ') + "for " +
                       einsum.dimensions[loop.dimension].name + " in [0:" + std::to_string(loop.extent);
    if (!loop.is_perfect()) text += "," + std::to_string(loop.remainder);
    text += ")";
    if (loop.kind == LoopKind::spatial_x) text += " (Spatial-X)";
    if (loop.kind == LoopKind::spatial_y) text += " (Spatial-Y)";
    return text + "\n";
}

}  // namespace

std::string loop_nest_text(const Einsum& einsum, const Architecture& architecture, const Mapping& mapping) {
    const std::vector<Extents> inside = extents_inside(einsum, mapping);
    std::string text;
    int depth = 0;
    for (std::size_t i = 0; i < mapping.nodes.size(); ++i) {
        if (const Store* store = std::get_if<Store>(&mapping.nodes[i])) {
            if (!text.empty()) text += "\n";
            text += store_text(einsum, architecture, *store, inside[i]);
        } else if (const Loop& loop = std::get<Loop>(mapping.nodes[i]); loop.extent > 1) {
            text += loop_text(einsum, loop, depth++);
        }
    }
    return text + "| " + std::string(static_cast<std::size_t>(2 * depth), ' ') + "<< Compute >>\n";
}

const Location& MappingPlaces::of(const Violation& violation) const {
    const auto node = static_cast<std::size_t>(violation.node);
    return violation.node >= 0 && node < nodes.size() ? nodes[node] : whole;
}

std::string placed_text(const Violation& violation, const MappingPlaces& places) {
    return place_text(places.of(violation)) + violation.message;
}

}  // namespace tilewright
