// Choices left by a tiling: kept tensors of each memory, and orders of its loops.
//
// Both walks change the given point step by step, and return to their start. The fit does not depend on orders.
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

/// All ways to keep each tensor somewhere.
class KeepWalk {
   public:
    /// Makes `point` the first way. Both have to outlive the walk.
    KeepWalk(const Mapspace& mapspace, TilingPoint& point);

    /// False if there is no way (a tensor may be kept nowhere).
    bool any() const { return any_; }
    /// Goes to the next way; false, back at the beginning, at the end.
    bool next();

    static double count(const Mapspace& mapspace);

   private:
    bool step();
    bool keeps_all() const;

    const Mapspace& space_;
    TilingPoint& point_;
    bool any_ = true;
};

/// All orders of the interchangeable temporal loops that run more than once.
class OrderWalk {
   public:
    /// Starts from the order of `point`. Both have to outlive the walk.
    OrderWalk(const Mapspace& mapspace, TilingPoint& point);

    /// Goes to the next order; false, at the very first one, at the end.
    bool next();

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
