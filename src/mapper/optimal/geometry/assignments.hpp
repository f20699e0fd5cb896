// Assignments: what the optimal mapper decides first. Spatial factors and how they are laid out, and the tensors each
// memory keeps.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "mapping/tiling_point.hpp"
#include "mapspace/mapspace.hpp"

namespace tilewright::optimal {

/// A point without temporal loops in a few bytes: there may be very many.
class Assignment {
   public:
    explicit Assignment(const TilingPoint& point);

    /// Temporal factors 1, their orders as the constraints of the space have them.
    TilingPoint point(const Mapspace& mapspace) const;

   private:
    std::vector<std::int32_t> code_;  ///< per level: kept tensors and the spatial loops, innermost first
};

/// All spatial factors of a mapspace, each in the first of its layouts, with the tensors kept that must be.
std::vector<Assignment> spatial_assignments_of(const Mapspace& mapspace);

/// All assignments of a mapspace, until `visit` has seen enough (false): then false.
bool visit_assignments(const Mapspace& mapspace, const std::function<bool(const TilingPoint&)>& visit);

}  // namespace tilewright::optimal
