// Reconstructs a label's nest.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "mapping/tiling_point.hpp"
#include "mapspace/mapspace.hpp"

namespace tilewright::optimal {

/// A label and its predecessors, innermost first, without the first label (the compute units alone).
template <typename Label>
std::vector<const Label*> history(const std::vector<Label>& labels, const Label& label) {
    std::vector<const Label*> steps;
    for (const Label* at = &label; at->parent >= 0; at = &labels[at->parent]) steps.push_back(at);
    std::reverse(steps.begin(), steps.end());
    return steps;
}

/// Adds temporal loops to an assignment's point, innermost first.
class NestBuilder {
   public:
    NestBuilder(const Mapspace& mapspace, const TilingPoint& assignment) : mapspace_(mapspace), point_(assignment) {
        for (int l = 0; l < point_.level_count(); ++l) point_[l].temporal.fill(1);
    }

    /// Places a loop of `dimension` outside the movable loops placed so far, or enlarges its first loop.
    void add_loop(int level, int dimension, std::int32_t factor) {
        TilingLevel& loops = point_[level];
        const auto first = loops.order.begin() + mapspace_.first_movable(level);
        const auto last = first + static_cast<std::ptrdiff_t>(mapspace_.movable(level).size());
        const auto at = std::find(first, last, dimension);
        if (loops.temporal[dimension] == 1 && at != last) std::rotate(first + placed_[level]++, at, at + 1);
        loops.temporal[dimension] *= factor;
    }

    const TilingPoint& point() const { return point_; }

   private:
    const Mapspace& mapspace_;
    TilingPoint point_;
    std::array<int, kMaxMemories> placed_{};
};

}  // namespace tilewright::optimal
