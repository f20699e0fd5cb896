// Assignments: all ways to choose the spatial factors, their layouts and the kept tensors of a mapspace. Internal to
// certificate/.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "mapping/tiling_point.hpp"
#include "mapspace/mapspace.hpp"

namespace tilewright::certificate {

/// Spatial factors, laid out in one way, and kept tensors.
struct Assignment {
    TilingPoint point;        ///< without temporal loops
    bool any_layout = false;  ///< the layout stands for all that the mapspace has for these factors
};

/// In the mapspace's order. `laid_out`: whether the layouts of spatial factors are assignments of their own.
std::vector<Assignment> assignments_of(const Mapspace& mapspace,
                                       const std::function<bool(const TilingPoint& spatial)>& laid_out);

/// Whether there are more than `most` of them, without listing them.
bool more_assignments_than(const Mapspace& mapspace, const std::function<bool(const TilingPoint& spatial)>& laid_out,
                           std::int64_t most);

/// "k7 k5 s0x14.2y2 k1": per memory, the bits of the tensors it keeps and its spatial loops, innermost first, with
/// dimension, axis and extent; where any layout is meant, "s0*14.2*2".
std::string to_text(const Assignment& assignment);

}  // namespace tilewright::certificate
