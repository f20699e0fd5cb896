#include "sim/machine/floor.hpp"

#include <algorithm>

namespace tilewright::sim {

Floor floor_of(const Architecture& architecture) {
    const int memories = architecture.memory_count();
    Floor floor;
    floor.spreads_from = memories - 1;
    for (int m = memories - 1; m >= 0; --m) {
        if (architecture.fanout(m).size() > 1) floor.spreads_from = m;
    }
    floor.element = floor.spreads_from + 1;
    while (floor.element < memories && architecture.memories[floor.element].spreads_only) ++floor.element;
    const tilewright::Mesh& inside = architecture.mesh(floor.element);
    const tilewright::Mesh& outside = architecture.mesh(floor.spreads_from);
    floor.elements_x = static_cast<int>(inside.x / outside.x);
    floor.elements_y = static_cast<int>(inside.y / outside.y);
    return folded(floor, floor.elements_x, floor.elements_y);
}

Floor folded(Floor floor, int columns, int rows) {
    floor.placed_x = columns;
    floor.placed_y = rows;
    // Two corners are needed even for a one-column array.
    floor.mesh = {std::max(columns, 2), rows + 1};
    return floor;
}

}  // namespace tilewright::sim
