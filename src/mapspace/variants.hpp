// What is left to choose once a tiling is fixed: the tensors that each memory keeps, and the orders of its loops.
//
// Both walks change the point they are given, step by step, and come back to where the first step began. Which tensors
// fit does not depend on the orders.
//
//     TilingPoint point = walk.point();  // a TilingWalk's
//     KeepWalk keeps(mapspace, point);
//     do {
//         OrderWalk orders(mapspace, point);
//         do use(point); while (orders.next());
//     } while (keeps.next());
#pragma once

#include <array>

#include "mapspace/mapspace.hpp"

namespace tilewright {

/// All ways to keep tensors such that each is kept somewhere.
class KeepWalk {
   public:
    /// Makes `point` the first way. Both have to outlive the walk.
    KeepWalk(const Mapspace& mapspace, TilingPoint& point);

    /// False when there is no way (a tensor may be kept nowhere).
    bool any() const { return any_; }
    /// Goes to the next way; false, back at the beginning, when all were seen.
    bool next();

    /// How many there are.
    static double count(const Mapspace& mapspace);

   private:
    bool step();
    bool keeps_all() const;

    const Mapspace& space_;
    TilingPoint& point_;
    bool any_ = true;
};

/// All orders of the temporal loops that run more than once and may change places.
class OrderWalk {
   public:
    /// Goes on from the order that `point` has. Both have to outlive the walk.
    OrderWalk(const Mapspace& mapspace, TilingPoint& point);

    /// Goes to the next order; false, at the very first one, when the last was seen.
    bool next();

    /// How many there are.
    static double count(const Mapspace& mapspace, const TilingPoint& point);

   private:
    struct Range {
        int first = 0;
        int last = 0;
    };

    TilingPoint& point_;
    std::array<Range, kMaxMemories> loops_;
};

}  // namespace tilewright
