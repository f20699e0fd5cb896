// TilingPoint: an even mapping as factors, orders and kept tensors, in fixed-size arrays; spatial factors may leave
// remainders. The searches' form of a mapping; converts to and from Mapping. Copies only touch the levels in use.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

#include "arch/architecture.hpp"
#include "mapping/mapping.hpp"
#include "workload/einsum.hpp"

namespace tilewright {

/// A spatial loop of a block: its dimension and axis.
struct SpatialLoop {
    std::uint8_t dimension = 0;
    bool along_y = false;

    bool operator==(const SpatialLoop&) const = default;
};

/// One memory and the loops below it: per dimension at most one temporal loop, and at most one spatial loop along each
/// axis of the fan-out. A factor of 1 is no loop.
struct TilingLevel {
    std::array<std::int32_t, kMaxDimensions> temporal;
    /// Neighbours of a dimension: the product of its loops along both axes. Fewer if nothing of the dimension lies
    /// outside and the outer loop's last step is shorter: 3 rows or columns of 2 x 2.
    std::array<std::int32_t, kMaxDimensions> spatial;
    std::array<std::int32_t, kMaxDimensions> along_x;  ///< extents of the loops along either axis
    std::array<std::int32_t, kMaxDimensions> along_y;
    std::array<std::uint8_t, kMaxDimensions> order;  ///< of the temporal loops, innermost first
    /// Innermost first; matters for wire energy or remainders. Holds every possible loop once.
    std::array<SpatialLoop, 2 * std::size_t{kMaxDimensions}> spatial_order;
    TensorSet keep;

    std::int32_t extent_of(const SpatialLoop& loop) const { return (loop.along_y ? along_y : along_x)[loop.dimension]; }
    /// Gives a dimension loops along both axes. `shared`: its neighbours; 0: the product.
    void spread(int dimension, std::int32_t x, std::int32_t y, std::int32_t shared = 0) {
        along_x[dimension] = x;
        along_y[dimension] = y;
        spatial[dimension] = shared != 0 ? shared : x * y;
    }
    bool lies_on_both_axes(int dimension) const { return along_x[dimension] > 1 && along_y[dimension] > 1; }
};

/// The loops of a block, innermost first; calls visit(SpatialLoop, extent).
template <typename Visit>
void visit_spatial_loops(const TilingLevel& level, int dimension_count, Visit&& visit) {
    for (int k = 0; k < 2 * dimension_count; ++k) {
        const SpatialLoop loop = level.spatial_order[k];
        if (const std::int32_t extent = level.extent_of(loop); extent > 1) visit(loop, extent);
    }
}

class TilingPoint {
   public:
    /// All factors 1, orders by dimension index, nothing kept.
    TilingPoint(int level_count, int dimension_count);
    TilingPoint(const TilingPoint& other) { *this = other; }
    TilingPoint& operator=(const TilingPoint& other) {
        level_count_ = other.level_count_;
        dimension_count_ = other.dimension_count_;
        std::copy_n(other.levels_.begin(), level_count_, levels_.begin());
        return *this;
    }

    int level_count() const { return level_count_; }
    int dimension_count() const { return dimension_count_; }
    /// Outermost memory first.
    TilingLevel& operator[](int level) { return levels_[level]; }
    const TilingLevel& operator[](int level) const { return levels_[level]; }

    /// Same factors, kept tensors, axes, and orders of the loops present.
    bool operator==(const TilingPoint& other) const;

   private:
    int level_count_ = 0;
    int dimension_count_ = 0;
    std::array<TilingLevel, kMaxMemories> levels_;
};

Mapping mapping_of(const TilingPoint& point);

/// The same for factors that need not divide: every loop gets the remainder given by the extents of its dimension
/// (restore_remainders). Nothing if some dimension's factors cannot cover its extent exactly once.
std::optional<Mapping> mapping_of(const TilingPoint& point, const Einsum& einsum);

/// The point of a mapping; nothing if the mapping is not even, not perfect, has accounting options, two loops of one
/// dimension and kind (temporal, along X, along Y) at one memory, or a factor of 2^31 or more.
std::optional<TilingPoint> perfect_point_of(const Mapping& mapping, const Einsum& einsum,
                                            const Architecture& architecture);

/// The same with the remainders given by the extents of their dimension; nothing for others.
std::optional<TilingPoint> point_of(const Mapping& mapping, const Einsum& einsum, const Architecture& architecture);

}  // namespace tilewright
