// Legal successions of loops between two stores.
#pragma once

#include <cstdint>
#include <vector>

#include "mapspace/mapspace.hpp"

namespace tilewright::optimal {

/// Loops placed since the last store.
///
/// A sliding dimension has one loop in a block. Of other dimensions a second loop is never better than its merger with
/// the first: the search need not exclude it. A bounded factor is placed once, as a whole.
struct BlockLoops {
    std::uint32_t taken = 0;     ///< bit d: the bounded factor's loop has been placed
    std::uint32_t complete = 0;  ///< sliding dimensions with their loop in this block complete
    std::uint32_t sliding = 0;   ///< the last loop's dimension, if tiles slide along it

    std::uint32_t may_follow() const { return ~(taken | complete); }

    /// Adds a loop. `slides`: tiles may slide on along it.
    void add(int dimension, bool bounded, bool slides) {
        const std::uint32_t now = 1U << dimension;
        if (bounded) taken |= now;
        if (sliding != now) complete |= sliding;
        sliding = slides ? now : 0;
    }

    bool may_replace(const BlockLoops& other) const {
        return taken == other.taken && (complete & ~other.complete) == 0 &&
               (sliding & ~(other.complete | other.sliding)) == 0;
    }
};

/// visit(dimensions, to_come) from the inside, for groups of interchangeable dimensions: those the constraints put
/// inside, one by one; all free ones; those put outside. `to_come`: this group and all later ones.
template <typename Visit>
void visit_loop_groups(const Mapspace& mapspace, const TilingLevel& order, int level, int dimension_count,
                       const Visit& visit) {
    const int first = mapspace.first_movable(level);
    const std::vector<std::uint8_t>& movable = mapspace.movable(level);
    std::uint32_t to_come = (1U << dimension_count) - 1U;
    const auto place = [&](std::uint32_t dimensions) {
        visit(dimensions, to_come);
        to_come &= ~dimensions;
    };
    for (int k = 0; k < first; ++k) place(1U << order.order[k]);
    std::uint32_t together = 0;
    for (const std::uint8_t d : movable) together |= 1U << d;
    place(together);
    for (int k = first + static_cast<int>(movable.size()); k < dimension_count; ++k) place(1U << order.order[k]);
}

}  // namespace tilewright::optimal
