#include "mapper/optimal/lattice.hpp"

#include "base/factors.hpp"

namespace tilewright::optimal {

Lattice::Lattice(const Extents& rest, int dimension_count) {
    for (int d = 0; d < dimension_count; ++d) {
        for (const PrimePower& power : prime_factors(static_cast<std::int64_t>(rest[d]))) {
            axes_.push_back({d, static_cast<std::int32_t>(power.prime), power.power, size_});
            size_ *= power.power + 1;
        }
    }
    double all = 1.0;
    for (int d = 0; d < dimension_count; ++d) all *= rest[d];
    loops_.resize(static_cast<std::size_t>(size_));
    around_.resize(static_cast<std::size_t>(size_));
    for (int point = 0; point < size_; ++point) {
        Extents& loops = loops_[static_cast<std::size_t>(point)];
        loops.fill(1.0);
        double inside = 1.0;
        for (const Axis& axis : axes_) {
            for (int i = exponent(point, axis); i > 0; --i) {
                loops[axis.dimension] *= axis.prime;
                inside *= axis.prime;
            }
        }
        around_[static_cast<std::size_t>(point)] = all / inside;
    }
}

int Lattice::after(int point, int dimension, std::int64_t factor) const {
    for (const Axis& axis : axes_) {
        if (axis.dimension != dimension) continue;
        for (int left = axis.most - exponent(point, axis); factor % axis.prime == 0; factor /= axis.prime) {
            if (left-- == 0) return -1;
            point += axis.stride;
        }
    }
    return factor == 1 ? point : -1;
}

}  // namespace tilewright::optimal
