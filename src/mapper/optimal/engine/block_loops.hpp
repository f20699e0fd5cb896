// Which loops may still be placed between two stores, and in which order.
#pragma once

#include <cstdint>
#include <vector>

#include "mapspace/mapspace.hpp"

namespace tilewright::optimal {

/// What a label remembers of the loops placed since the last store.
///
/// A dimension along which a tile slides has one loop in a block. For others a second one is never better than one that
/// is all inside: it may be left to the search. A factor with bounds is placed as a whole, once.
struct BlockLoops {
    std::uint32_t taken = 0;     ///< bit d: the loop of a dimension with bounds on its factor has been placed
    std::uint32_t complete = 0;  ///< dimensions that tiles slid along and whose loop in this block is complete
    std::uint32_t sliding = 0;   ///< the dimension of the last loop, if tiles slide along it

    /// Dimensions whose loops may come next.
    std::uint32_t may_follow() const { return ~(taken | complete); }

    /// A loop was placed. `slides`: tiles may slide on along it.
    void add(int dimension, bool bounded, bool slides) {
        const std::uint32_t now = 1U << dimension;
        if (bounded) taken |= now;
        if (sliding != now) complete |= sliding;
        sliding = slides ? now : 0;
    }

    /// Every loop that may follow `other` may follow this.
    bool may_replace(const BlockLoops& other) const {
        return taken == other.taken && (complete & ~other.complete) == 0 &&
               (sliding & ~(other.complete | other.sliding)) == 0;
    }
};

/// visit(dimensions, to_come) from the inside, for groups of dimensions whose loops may change places: those that the
/// constraints put inside one by one, all that may move together, those that they put outside one by one. `to_come`:
/// all that may still have loops, this group among them.
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
