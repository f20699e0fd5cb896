#include "mapper/optimal/geometry/lattice.hpp"

#include <algorithm>

#include "base/numbers/factors.hpp"

namespace tilewright::optimal {

Lattice::Lattice(const Extents& rest, int dimension_count) {
    for (int d = 0; d < dimension_count; ++d) {
        for (const PrimePower& power : prime_factors(static_cast<std::int64_t>(rest[d]))) {
            const auto number = static_cast<int>(axes_.size());
            axes_.push_back({d, static_cast<std::int32_t>(power.prime), power.power, size_, number});
            size_ *= power.power + 1;
        }
    }
    double all = 1.0;
    for (int d = 0; d < dimension_count; ++d) all *= rest[d];
    const auto size = static_cast<std::size_t>(size_);
    loops_.resize(size);
    around_.resize(size);
    before_.assign(size, -1);
    loops_[0].fill(1.0);
    around_[0] = all;
    for (const Axis& axis : axes_) {  // the points below this axis's stride are there: multiply them
        for (int point = axis.stride; point < axis.stride * (axis.most + 1); ++point) {
            const auto from = static_cast<std::size_t>(point - axis.stride);
            const auto at = static_cast<std::size_t>(point);
            loops_[at] = loops_[from];
            loops_[at][axis.dimension] *= axis.prime;
            around_[at] = around_[from] / axis.prime;
            before_[at] = point - axis.stride;
        }
    }
    for (const Axis& axis : axes_) {
        PointSet& points = may_step_.emplace_back(size_);
        const int line = axis.stride * (axis.most + 1);
        for (int begin = 0; begin < size_; begin += line) points.add(begin, begin + line - axis.stride);
    }
}

void Lattice::spread_outwards(std::uint32_t dimensions, PointSet& points) const {
    for (const Axis& axis : axes_)
        for (int step = 0; (dimensions >> axis.dimension & 1U) != 0 && step < axis.most; ++step)
            if (!points.add_after(axis.stride, may_step(axis))) break;
}

void Lattice::spread_inwards(std::uint32_t dimensions, PointSet& points) const {
    for (const Axis& axis : axes_)
        for (int step = 0; (dimensions >> axis.dimension & 1U) != 0 && step < axis.most; ++step)
            if (!points.add_before(axis.stride, may_step(axis))) break;
}

void Lattice::take_least(std::uint32_t dimensions, std::vector<double>& cost) const {
    for (const Axis& axis : axes_) {
        if ((dimensions >> axis.dimension & 1U) == 0) continue;
        inwards(axis, [&cost](int point, int next) {
            double& here = cost[point];
            here = std::min(here, cost[next]);
        });
    }
}

void Lattice::take_least_inside(std::uint32_t dimensions, std::vector<double>& cost) const {
    for (const Axis& axis : axes_) {
        if ((dimensions >> axis.dimension & 1U) == 0) continue;
        outwards(axis, [&cost](int point, int next) {
            double& there = cost[next];
            there = std::min(there, cost[point]);
        });
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

void PointSet::add(int begin, int end) {
    while (begin < end) {
        const auto count = std::min<std::size_t>(kBits - bit(begin), static_cast<std::size_t>(end - begin));
        const std::uint64_t ones = ~std::uint64_t{0} >> (kBits - count);
        words_[word(begin)] |= ones << bit(begin);
        begin += static_cast<int>(count);
    }
}

void PointSet::keep(const PointSet& others) {
    for (std::size_t w = 0; w < words_.size(); ++w) words_[w] &= others.words_[w];
}

void PointSet::remove(const PointSet& others) {
    for (std::size_t w = 0; w < words_.size(); ++w) words_[w] &= ~others.words_[w];
}

// From the last word to the first: earlier words are unchanged.
bool PointSet::add_after(int distance, const PointSet& may_step) {
    const std::size_t whole = word(distance);
    const unsigned part = bit(distance);
    std::uint64_t added = 0;
    for (std::size_t w = words_.size(); w-- > whole;) {
        const std::size_t from = w - whole;
        std::uint64_t moved = (words_[from] & may_step.words_[from]) << part;
        if (part != 0 && from > 0) moved |= (words_[from - 1] & may_step.words_[from - 1]) >> (kBits - part);
        added |= moved & ~words_[w];
        words_[w] |= moved;
    }
    return added != 0;
}

bool PointSet::add_before(int distance, const PointSet& may_step) {
    const PointSet added = before(distance, may_step);
    std::uint64_t fresh = 0;
    for (std::size_t w = 0; w < words_.size(); ++w) {
        fresh |= added.words_[w] & ~words_[w];
        words_[w] |= added.words_[w];
    }
    return fresh != 0;
}

PointSet PointSet::before(int distance, const PointSet& may_step) const {
    const std::size_t whole = word(distance);
    const unsigned part = bit(distance);
    PointSet found;
    found.words_.resize(words_.size(), 0);
    for (std::size_t w = 0; w + whole < words_.size(); ++w) {
        std::uint64_t moved = words_[w + whole] >> part;
        if (part != 0 && w + whole + 1 < words_.size()) moved |= words_[w + whole + 1] << (kBits - part);
        found.words_[w] = moved & may_step.words_[w];
    }
    return found;
}

}  // namespace tilewright::optimal
