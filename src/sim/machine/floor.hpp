// Placement of a machine's parts on the mesh.
//
// The array is the architecture's outermost fan-out, including the fan-outs directly below levels without storage
// (dummy levels). Each of its elements, contents included, is one processing element, a mesh node. Everything outside
// is a memory: the outermost one at the left end of an extra row, the others at its right end.
#pragma once

#include "arch/architecture.hpp"
#include "sim/noc/mesh.hpp"

namespace tilewright::sim {

struct Floor {
    int spreads_from = 0;  ///< the memory above the array; later ones are inside or between
    int element = 1;       ///< the first level inside the array (memory_count(): the compute units)
    Mesh mesh;             ///< elements, plus one row
    int elements_x = 1;    ///< the architecture's array
    int elements_y = 1;
    int placed_x = 1;  ///< the placed one, possibly folded
    int placed_y = 1;

    int elements() const { return elements_x * elements_y; }
    int node_of_element(int number) const { return mesh.node(number % placed_x, number / placed_x); }
    int node_of_memory(int memory) const {
        return memory == 0 ? mesh.node(0, placed_y) : mesh.node(mesh.columns - 1, placed_y);
    }
    bool operator==(const Floor&) const = default;
};

/// Requires problem_with(architecture).empty().
Floor floor_of(const Architecture& architecture);

/// The same with its elements on `columns` x `rows` nodes, renumbered row by row. Requires columns * rows ==
/// floor.elements().
Floor folded(Floor floor, int columns, int rows);

}  // namespace tilewright::sim
