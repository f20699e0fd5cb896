// The order of the spatial loops of one block where they may leave remainders: which of them may change places, and
// where the neighbours of a step sit.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "mapping/tiling_point.hpp"
#include "mapspace/mapspace.hpp"

namespace tilewright::optimal {

/// Whether the layouts of an assignment are those that it says, or any that the mapspace has for its spatial factors:
/// then bounds hold for all of them.
enum class LayoutChoice { given, any };

/// Dimensions whose shorter last step moves neighbours to other places, and those of the loops outside them.
struct MovingLoops {
    std::uint32_t imperfect = 0;
    std::uint32_t outside = 0;
};

class BlockOrder {
   public:
    BlockOrder(const Mapspace& mapspace, const TilingPoint& assignment, int level, LayoutChoice choice);

    /// Of which dimensions there are loops.
    std::uint32_t dimensions() const { return dimensions_; }
    /// Any layout of the space, not only the one of the assignment.
    bool is_any() const { return any_; }
    /// Which loops are outside which others is known once it is known which leave a remainder.
    bool is_known() const { return !any_ && !divided_; }
    /// Where `leaves` are the dimensions whose loops leave a remainder.
    MovingLoops moving(std::uint32_t leaves) const;
    /// The dimension of the outermost loop that may leave a remainder and then moves no instance; -1: none.
    int leaves_in_place(std::uint32_t may_leave) const;
    /// A dimension along both axes that covers more than there is: nothing of it lies outside.
    bool is_partial(int dimension) const { return (partial_ >> dimension & 1U) != 0; }

    /// The same loops, which stay as they are whatever leaves a remainder.
    BlockOrder unsorted() const;

    /// The loops as they are, innermost first, when those of `leaves` leave a remainder.
    std::vector<SpatialLoop> loops(std::uint32_t leaves) const;

   private:
    bool sorts_ = false;  ///< loops that leave a remainder are outside the others of their axis
    bool any_ = false;
    bool divided_ = false;  ///< other loops lie between the two of a dimension
    std::uint32_t dimensions_ = 0;
    std::uint32_t partial_ = 0;
    std::vector<SpatialLoop> loops_;  ///< innermost first
};

}  // namespace tilewright::optimal
