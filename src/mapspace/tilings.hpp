// TilingWalk: the tilings of a mapspace one after the other - the factors of every dimension and the layouts of spatial
// loops - without listing them.
//
// Small inner tiles come first. Whatever exceeds a mesh is cut off as soon as it does, so the walk costs little more
// than what it yields. Not thread-safe; the mapspace has to outlive it.
//
//     for (TilingWalk walk(mapspace); walk.next();) use(walk.point());
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "mapspace/mapspace.hpp"

namespace tilewright {

class TilingWalk {
   public:
    explicit TilingWalk(const Mapspace& mapspace);

    /// Goes to the next tiling (at first: to the first one). False when there are no more, or when `stop`, which is
    /// asked now and then, says so: constraints can make them rare.
    bool next(const std::function<bool()>& stop = {});

    /// The tiling, in the first order of its loops, every memory keeping only what it has to. Requires that next()
    /// returned true.
    const TilingPoint& point() const { return point_; }

   private:
    /// One dimension's factor in one slot.
    struct Frame {
        int dimension = 0;
        int place = 0;  ///< of the slot, in the order in which the dimension's factors are dealt
        Slot slot;
        std::int64_t cursor = 0;  ///< how far the values are tried; 0: none yet
        std::int64_t before = 0;  ///< what is left to deal: chunks, or the number of a divisor
        std::int64_t after = 0;
        std::int64_t value = 1;
    };

    void enter(std::size_t frame);
    bool advance(Frame& frame);
    bool next_value(Frame& frame) const;
    bool next_divisor(Frame& frame) const;
    bool next_extent(Frame& frame) const;
    bool lay_out();
    std::int32_t& factor_of(const Frame& frame);

    const Mapspace& space_;
    TilingPoint point_;
    std::vector<TilingPoint> layouts_;  ///< other ones of the same factors, the next one last
    std::vector<Frame> frames_;
    std::int64_t steps_ = 0;
    bool started_ = false;
    bool done_ = false;
};

}  // namespace tilewright
