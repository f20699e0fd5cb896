// Reach: where an even mapping may place its memories on the lattice.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "mapper/optimal/bounds/tile_table.hpp"
#include "mapspace/mapspace.hpp"

namespace tilewright::optimal {

/// Points by level: all tensors of the memory fit there, loops from the units lead there, and others from there to the
/// outermost memory.
class Reach {
   public:
    /// Refers to both.
    Reach(const Mapspace& mapspace, const TileTable& tiles);

    const std::vector<int>& points(int level) const;
    /// The outermost memory that is sent anything; none: the number of memories.
    int outermost() const { return outermost_; }
    /// Of that one, those from which no loop can be moved in; of others all. No point
    /// left out sends that memory less, but those inside it may be sent less then.
    const std::vector<int>& largest_points(int level) const { return level == outermost_ ? largest_ : points(level); }
    /// Dimensions that may have loops of that memory, just inside its tile, and have any left.
    std::uint32_t dimensions(int level) const { return dimensions_[level]; }

    /// Takes points out: of largest_points(), and where those are not all of points(), of these.
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
    mutable std::vector<std::optional<std::vector<int>>> points_;  ///< by level, when they are asked for
    std::vector<int> largest_;
};

}  // namespace tilewright::optimal
