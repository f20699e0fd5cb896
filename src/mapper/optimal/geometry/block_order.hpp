// The order of one block's spatial loops with possible remainders: interchangeable loops, and neighbours' places.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "mapping/tiling_point.hpp"
#include "mapspace/mapspace.hpp"

namespace tilewright::optimal {

/// Layouts of an assignment: its own, or any of the mapspace for its spatial factors (bounds then hold for all).
enum class LayoutChoice { given, any };

/// Dimensions with a shorter last step that moves neighbours, and those of the loops outside them.
struct MovingLoops {
    std::uint32_t imperfect = 0;
    std::uint32_t outside = 0;
};

class BlockOrder {
   public:
    BlockOrder(const Mapspace& mapspace, const TilingPoint& assignment, int level, LayoutChoice choice);

    std::uint32_t dimensions() const { return dimensions_; }
    bool is_any() const { return any_; }
    /// The order is known once the loops with remainders are.
    bool is_known() const { return !any_ && !divided_; }
    /// `leaves`: dimensions whose loops leave a remainder.
    MovingLoops moving(std::uint32_t leaves) const;
    /// The dimension of the outermost loop if its remainder moves no instance; -1: none.
    int leaves_in_place(std::uint32_t may_leave) const;
    /// A dimension along both axes covering more than its extent: nothing of it lies outside.
    bool is_partial(int dimension) const { return (partial_ >> dimension & 1U) != 0; }

    /// The same loops in an order independent of remainders.
    BlockOrder unsorted() const;

    /// The loops, innermost first, if those of `leaves` leave a remainder.
    std::vector<SpatialLoop> loops(std::uint32_t leaves) const;

   private:
    bool sorts_ = false;  ///< loops with remainders are outside the others of their axis
    bool any_ = false;
    bool divided_ = false;  ///< other loops lie between the two of a dimension
    std::uint32_t dimensions_ = 0;
    std::uint32_t partial_ = 0;
    std::vector<SpatialLoop> loops_;  ///< innermost first
};

}  // namespace tilewright::optimal
