#include "certificate/common/lattice.hpp"

#include <algorithm>

#include "base/numbers/factors.hpp"

namespace tilewright::certificate {
namespace {

bool is_prime(std::int64_t number) {
    const auto powers = prime_factors(number);
    return powers.size() == 1 && powers.front().power == 1;
}

}  // namespace

Lattice::Lattice(const Box& rest, int dimension_count) {
    double all = 1.0;
    for (int d = 0; d < dimension_count; ++d) {
        Axis axis;
        for (const std::int64_t divisor : divisors(static_cast<std::int64_t>(rest[d])))
            axis.divisors.push_back(static_cast<std::int32_t>(divisor));
        axis.stride = size_;
        size_ *= static_cast<int>(axis.divisors.size());
        all *= rest[d];
        const int count = static_cast<int>(axis.divisors.size());
        axis.edges.resize(axis.divisors.size());
        for (int i = 0; i < count; ++i)
            for (int j = i + 1; j < count; ++j)
                if (axis.divisors[j] % axis.divisors[i] == 0) {
                    const std::int32_t factor = axis.divisors[j] / axis.divisors[i];
                    axis.edges[i].push_back({(j - i) * axis.stride, factor, is_prime(factor)});
                }
        axes_.push_back(std::move(axis));
    }
    Box none;
    none.fill(1.0);
    loops_.assign(static_cast<std::size_t>(size_), none);
    around_.assign(static_cast<std::size_t>(size_), all);
    for (int point = 0; point < size_; ++point)
        for (int d = 0; d < dimension_count; ++d) {
            const Axis& axis = axes_[d];
            const auto at = static_cast<std::size_t>(point / axis.stride) % axis.divisors.size();
            loops_[point][d] = axis.divisors[at];
            around_[point] /= axis.divisors[at];
        }
}

const std::vector<LatticeEdge>& Lattice::edges(int point, int dimension) const {
    const Axis& axis = axes_[dimension];
    return axis.edges[static_cast<std::size_t>(point / axis.stride) % axis.divisors.size()];
}

int Lattice::without(int point, std::uint32_t dimensions) const {
    for (std::size_t d = 0; d < axes_.size(); ++d)
        if ((dimensions >> d & 1U) != 0)
            point -= point / axes_[d].stride % static_cast<int>(axes_[d].divisors.size()) * axes_[d].stride;
    return point;
}

void Lattice::look_outwards(std::uint32_t dimensions, std::vector<double>& values) const {
    for (std::size_t d = 0; d < axes_.size(); ++d) {
        const Axis& axis = axes_[d];
        if ((dimensions >> d & 1U) == 0 || axis.divisors.size() == 1) continue;
        const auto row = static_cast<std::size_t>(axis.stride);
        const std::size_t block = row * axis.divisors.size();
        for (std::size_t first = 0; first < values.size(); first += block)
            for (std::size_t i = axis.divisors.size(); i-- > 0;)
                for (const LatticeEdge& edge : axis.edges[i]) {
                    if (!edge.is_prime) continue;
                    double* const here = values.data() + first + i * row;
                    const double* const there = here + edge.by;
                    for (std::size_t k = 0; k < row; ++k) here[k] = std::min(here[k], there[k]);
                }
    }
}

}  // namespace tilewright::certificate
