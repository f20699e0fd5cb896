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

// B5: lower bound for even mappings with the extent of the loops between two memories.
//
// A tensor rests in a memory only during irrelevant loops, from the innermost one outwards. Either all loops between
// its tile and the next memory's tile are irrelevant, or it rests at most for the irrelevant ones between them. A
// delivery so depends on its own tile along relevant dimensions and on the next memory's tile along the others.

/// By level and point: least energy of the deliveries to that memory and all outside it, with loops `point` inside.
/// Empty for a memory without loops of its own, except the innermost; empty for all if only the outermost memory has
/// deliveries of several tensors.
std::vector<std::vector<double>> coupled_pj(const TileTable& tiles, const Reach& reach);

}  // namespace tilewright::optimal
