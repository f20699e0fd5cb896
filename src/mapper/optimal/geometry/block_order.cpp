#include "mapper/optimal/geometry/block_order.hpp"

#include <algorithm>
#include <bit>

namespace tilewright::optimal {

BlockOrder::BlockOrder(const Mapspace& mapspace, const TilingPoint& assignment, int level, LayoutChoice choice)
    : sorts_(mapspace.keeps_remainders_outside(level)) {
    const TilingLevel& at = assignment[level];
    visit_spatial_loops(at, assignment.dimension_count(), [&](const SpatialLoop& loop, std::int32_t) {
        const std::uint32_t bit = 1U << loop.dimension;
        const bool follows = !loops_.empty() && loops_.back().dimension == loop.dimension;
        divided_ = divided_ || (!follows && (dimensions_ & bit) != 0);
        dimensions_ |= bit;
        loops_.push_back(loop);
    });
    for (const SpatialLoop& loop : loops_) {
        const int d = loop.dimension;
        if (std::int64_t{at.along_x[d]} * at.along_y[d] != at.spatial[d]) partial_ |= 1U << d;
    }
    any_ = choice == LayoutChoice::any && mapspace.has_layouts(level) &&
           (std::popcount(dimensions_) > 1 || partial_ != 0 || (dimensions_ != 0 && mapspace.counts_addressed(level)));
    if (any_) partial_ = 0;  // another layout may divide
}

std::vector<SpatialLoop> BlockOrder::loops(std::uint32_t leaves) const {
    std::vector<SpatialLoop> sorted = loops_;
    const auto outer = [leaves](const SpatialLoop& loop) {
        return std::pair(loop.along_y, (leaves >> loop.dimension & 1U) != 0);
    };
    if (sorts_)
        std::stable_sort(sorted.begin(), sorted.end(),
                         [&](const SpatialLoop& a, const SpatialLoop& b) { return outer(a) < outer(b); });
    return sorted;
}

BlockOrder BlockOrder::unsorted() const {
    BlockOrder order = *this;
    order.sorts_ = false;
    return order;
}

// In an unknown order every loop with a remainder may be inside any other.
MovingLoops BlockOrder::moving(std::uint32_t leaves) const {
    leaves &= dimensions_;
    if (leaves == 0 || std::popcount(dimensions_) < 2) return {};
    if (!is_known()) return {leaves, dimensions_};
    MovingLoops moving;
    std::uint32_t inside = 0;
    for (const SpatialLoop& loop : loops(leaves)) {
        const std::uint32_t bit = 1U << loop.dimension;
        if (const std::uint32_t others = inside & ~bit; others != 0) {
            moving.imperfect |= others;
            moving.outside |= bit;
        }
        if ((leaves & bit) != 0) inside |= bit;
    }
    return moving;
}

int BlockOrder::leaves_in_place(std::uint32_t may_leave) const {
    if (!is_known()) return -1;
    if (!sorts_) return (may_leave >> loops_.back().dimension & 1U) != 0 ? loops_.back().dimension : -1;
    const bool on_y = std::ranges::any_of(loops_, &SpatialLoop::along_y);
    int outermost = -1;
    for (const SpatialLoop& loop : loops_)
        if (loop.along_y == on_y && (may_leave >> loop.dimension & 1U) != 0) outermost = loop.dimension;
    return outermost;
}

}  // namespace tilewright::optimal
