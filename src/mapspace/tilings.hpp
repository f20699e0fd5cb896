// TilingWalk: the tilings of a mapspace (factors, and layouts of spatial loops), one by one, without listing them.
//
// Small inner tiles come first. Partial tilings beyond a mesh are cut off at once, so the walk costs little more than
// its result. Not thread-safe; the mapspace has to outlive it.
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

    /// Goes to the next tiling (at first: to the first). False at the end, or when `stop`, polled, returns true:
    /// constraints can make tilings rare.
    bool next(const std::function<bool()>& stop = {});

    /// The tiling, in its first loop order, with compulsory kept tensors only. Requires that next() returned true.
    const TilingPoint& point() const { return point_; }

   private:
    struct Frame {
        int dimension = 0;
        int place = 0;  ///< of the slot, in the dealing order of the dimension's factors
        Slot slot;
        std::int64_t cursor = 0;  ///< position in the values; 0: none tried
        std::int64_t before = 0;  ///< rest to deal: chunks, or the number of a divisor
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
    std::vector<TilingPoint> layouts_;  ///< others of the same factors, the next one last
    std::vector<Frame> frames_;
    std::int64_t steps_ = 0;
    bool started_ = false;
    bool done_ = false;
};

}  // namespace tilewright
