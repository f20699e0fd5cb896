// Copies factors from another point.
#include "mapspace/mapspace.hpp"

namespace tilewright {

bool Mapspace::copy_factors(TilingPoint& point, const TilingPoint& from, int dimension) const {
    if (has_remainders()) return put_chain(point, dimension, chain_of(from, dimension));
    const TilingPoint before = point;
    bool fits = true;
    for (int l = 0; l < level_count_ && fits; ++l) {
        point[l].temporal[dimension] = from[l].temporal[dimension];
        point[l].spatial[dimension] = from[l].spatial[dimension];
        fits = lay_out(point, l);
    }
    if (!fits) point = before;
    return fits;
}

}  // namespace tilewright
