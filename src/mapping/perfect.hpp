// PerfectPoint: an even mapping whose factors all divide, in fixed-size arrays. What the searches create, change and
// cost; it converts to and from Mapping. Copies only touch the levels in use.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

#include "arch/architecture.hpp"
#include "mapping/mapping.hpp"
#include "workload/einsum.hpp"

namespace tilewright {

/// One memory and the loops below it: at most one temporal and one spatial loop per dimension. A factor of 1 is no
/// loop.
struct PerfectLevel {
    std::array<std::int32_t, kMaxDimensions> temporal;
    std::array<std::int32_t, kMaxDimensions> spatial;
    std::array<std::uint8_t, kMaxDimensions> order;  ///< of the temporal loops, innermost first
    std::array<std::uint8_t, kMaxDimensions>
        spatial_order;       ///< innermost first; only the length of wires depends on it
    std::uint32_t on_y = 0;  ///< bit d: the spatial loop of dimension d runs along Y
    TensorSet keep;

    bool runs_on_y(int dimension) const { return (on_y >> dimension & 1U) != 0; }
};

class PerfectPoint {
   public:
    /// All factors 1, orders by dimension index, nothing kept.
    PerfectPoint(int level_count, int dimension_count);
    PerfectPoint(const PerfectPoint& other) { *this = other; }
    PerfectPoint& operator=(const PerfectPoint& other) {
        level_count_ = other.level_count_;
        dimension_count_ = other.dimension_count_;
        std::copy_n(other.levels_.begin(), level_count_, levels_.begin());
        return *this;
    }

    int level_count() const { return level_count_; }
    int dimension_count() const { return dimension_count_; }
    /// Outermost memory first.
    PerfectLevel& operator[](int level) { return levels_[level]; }
    const PerfectLevel& operator[](int level) const { return levels_[level]; }

    /// Same factors, kept tensors, axes, and orders of the loops that exist.
    bool operator==(const PerfectPoint& other) const;

   private:
    int level_count_ = 0;
    int dimension_count_ = 0;
    std::array<PerfectLevel, kMaxMemories> levels_;
};

/// The mapping that `point` stands for.
Mapping mapping_of(const PerfectPoint& point);

/// The same for factors that need not divide: every loop gets the remainder that the extents of its dimension imply
/// (restore_remainders). Nothing when the factors of some dimension cannot cover its extent exactly once.
std::optional<Mapping> mapping_of(const PerfectPoint& point, const Einsum& einsum);

/// The point of a mapping, or nothing when the mapping is not even, not perfect, carries accounting options, has two
/// loops of one kind and dimension at one memory, or a factor of 2^31 or more.
std::optional<PerfectPoint> perfect_point_of(const Mapping& mapping, const Einsum& einsum,
                                             const Architecture& architecture);

}  // namespace tilewright
