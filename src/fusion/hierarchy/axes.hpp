// Which dimensions of an einsum may go along which axis of a fan-out, by what a machine demands.
#pragma once

#include <cstdint>

#include "arch/architecture.hpp"
#include "mapspace/constraints.hpp"

namespace tilewright::fusion {

struct Axes {
    std::uint32_t along_x = 0;  ///< bit d: dimension d
    std::uint32_t along_y = 0;
    Mesh room;
};

/// `loops`: of the fan-out, of an einsum of so many dimensions. Where a split runs through dimensions whose place in
/// the order is free, these may go either way.
Axes axes_of(const LoopConstraint& loops, const Mesh& room, int dimensions);

}  // namespace tilewright::fusion
