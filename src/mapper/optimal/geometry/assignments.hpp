// Assignments: spatial factors, their layout, and the tensors kept by each memory.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "mapping/tiling_point.hpp"
#include "mapspace/mapspace.hpp"

namespace tilewright::optimal {

/// A point without temporal loops, compact: there may be millions.
class Assignment {
   public:
    explicit Assignment(const TilingPoint& point);

    /// Temporal factors are 1, in the order of the space's constraints.
    TilingPoint point(const Mapspace& mapspace) const;

   private:
    std::vector<std::int32_t> code_;  ///< per level: kept tensors and the spatial loops, innermost first
};

/// Visits all assignments of a mapspace until `visit` returns false; then false.
bool visit_assignments(const Mapspace& mapspace, const std::function<bool(const TilingPoint&)>& visit);

}  // namespace tilewright::optimal
