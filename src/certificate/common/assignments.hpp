// Assignments: all choices of spatial factors, layouts and kept tensors of a mapspace. Internal to certificate/.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "mapping/tiling_point.hpp"
#include "mapspace/mapspace.hpp"

namespace tilewright::certificate {

struct Assignment {
    TilingPoint point;        ///< without temporal loops
    bool any_layout = false;  ///< represents all layouts of these factors in the mapspace
};

/// In the mapspace's order. `laid_out`: layouts of these spatial factors are assignments of their own.
std::vector<Assignment> assignments_of(const Mapspace& mapspace,
                                       const std::function<bool(const TilingPoint& spatial)>& laid_out);

/// There are more than `most` of them; without listing them.
bool more_assignments_than(const Mapspace& mapspace, const std::function<bool(const TilingPoint& spatial)>& laid_out,
                           std::int64_t most);

/// "k7 k5 s0x14.2y2 k1": per memory, the bits of its kept tensors and its spatial loops, innermost first, with
/// dimension, axis and extent; for any layout "s0*14.2*2".
std::string to_text(const Assignment& assignment);

}  // namespace tilewright::certificate
