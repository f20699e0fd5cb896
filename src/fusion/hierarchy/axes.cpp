#include "fusion/hierarchy/axes.hpp"

#include <algorithm>

namespace tilewright::fusion {

Axes axes_of(const LoopConstraint& loops, const Mesh& room, int dimensions) {
    Axes axes{0, 0, room};
    const auto inner = static_cast<int>(loops.inner.size());
    const auto outer = static_cast<int>(loops.outer.size());
    const int free = std::max(0, dimensions - inner - outer);
    for (int d = 0; d < dimensions; ++d) {
        const auto in_inner = static_cast<int>(std::ranges::find(loops.inner, d) - loops.inner.begin());
        const auto in_outer = static_cast<int>(std::ranges::find(loops.outer, d) - loops.outer.begin());
        const bool is_free = in_inner == inner && in_outer == outer;
        const int first = in_inner < inner || is_free ? in_inner : inner + free + in_outer;
        const int last = is_free ? inner + free - 1 : first;
        const int split = loops.split.value_or(0);
        if (room.x > 1 && (!loops.split || first < split)) axes.along_x |= 1U << d;
        if (room.y > 1 && (!loops.split || last >= split)) axes.along_y |= 1U << d;
    }
    return axes;
}

}  // namespace tilewright::fusion
