// Reach: lattice points for the stores of an even mapping.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "mapper/optimal/bounds/tile_table.hpp"
#include "mapspace/mapspace.hpp"

namespace tilewright::optimal {

/// Points by level: all tensors of the memory fit, and loops lead there from the units and on to the outermost memory.
class Reach {
   public:
    /// Keeps references to both.
    Reach(const Mapspace& mapspace, const TileTable& tiles);

    const std::vector<int>& points(int level) const;
    /// The outermost memory with deliveries, or the number of memories.
    int outermost() const { return outermost_; }
    /// At the outermost memory with deliveries: points from which no loop can be moved in; elsewhere all points. A
    /// point left out sends that memory no less, but memories inside may be sent less.
    const std::vector<int>& largest_points(int level) const { return level == outermost_ ? largest_ : points(level); }
    /// Dimensions with loops left, allowed to that memory just inside its tile.
    std::uint32_t dimensions(int level) const { return dimensions_[level]; }

    /// Removes points: of largest_points(), and of points() if the two differ.
    template <typename FromLargest, typename FromAll>
    void drop(int level, const FromLargest& from_largest, const FromAll& from_all) {
        points(level);
        std::vector<int>& all = *points_[level];
        if (level == outermost_) {
            std::erase_if(largest_, from_largest);
            std::erase_if(all, from_all);
        } else {
            std::erase_if(all, from_largest);
        }
    }

   private:
    PointSet& marks(int level) { return marks_[level]; }
    void look_at_dimensions(const Mapspace& mapspace);
    void look_outwards();
    void look_inwards();
    void find_largest();

    const TileTable& tiles_;
    int levels_;
    int outermost_;
    std::vector<std::uint32_t> dimensions_;
    std::vector<PointSet> marks_;                                  ///< by level
    mutable std::vector<std::optional<std::vector<int>>> points_;  ///< by level, built on demand
    std::vector<int> largest_;
};

}  // namespace tilewright::optimal
