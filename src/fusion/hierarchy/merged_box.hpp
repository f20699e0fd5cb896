// A box as the optimal mapper maps it: dimensions that move the same operands are one, and those of one point are none.
//
// Where loops of such dimensions stand side by side in a nest, what moves depends on the product of their factors
// alone, and any factors of the product are products of factors. A nest in which another loop lies between two of them
// moves no less. Only wires are shared out otherwise there, so that with wires it is a matter of the space: such loops
// stand side by side in leaves, as in layers (workload/cascade/layers.hpp).
//
//     S[b,h,g,m,l] += Q[b,m,h,g,e] * K[b,h,l,e]    with b and h, and with g and m, as one: three dimensions and e
#pragma once

#include <vector>

#include "mapping/mapping.hpp"
#include "mapspace/constraints.hpp"
#include "workload/einsum.hpp"

namespace tilewright::fusion {

struct MergedBox {
    Einsum einsum;
    Constraints demands;
    std::vector<std::vector<int>> members;  ///< by dimension of `einsum`: the box's, outermost first
};

/// The box as it is where `demands` tell such dimensions apart.
MergedBox merged_box(const Einsum& box, const Constraints& demands);

/// Of a mapping of the merged box without remainders, one of the box itself that costs the same.
Mapping unmerged(const Mapping& mapping, const MergedBox& merged, const Einsum& box);

}  // namespace tilewright::fusion
