// Factors that one point takes over from another.
#include "mapspace/mapspace.hpp"

namespace tilewright {

bool Mapspace::copy_factors(PerfectPoint& point, const PerfectPoint& from, int dimension) const {
    if (has_remainders()) return put_chain(point, dimension, chain_of(from, dimension));
    const std::uint32_t bit = 1U << dimension;
    const PerfectPoint before = point;
    bool fits = true;
    for (int l = 0; l < level_count_ && fits; ++l) {
        point[l].temporal[dimension] = from[l].temporal[dimension];
        point[l].spatial[dimension] = from[l].spatial[dimension];
        point[l].on_y = (point[l].on_y & ~bit) | (from[l].on_y & bit);
        const Room room = room_left(point, l);
        fits = room.x >= 1 && room.y >= 1;
        order_spatial(point, l);
    }
    if (!fits) point = before;
    return fits;
}

}  // namespace tilewright
