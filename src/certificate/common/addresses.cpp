#include "certificate/common/addresses.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace tilewright::certificate {

Addresses::Addresses(const Einsum& einsum, const Tensor& tensor) : written(tensor.written) {
    for (const Rank& rank : tensor.ranks) {
        Box coefficients{};
        for (const Term& term : rank.terms)
            if (einsum.dimensions[term.dimension].extent > 1)
                coefficients[term.dimension] += static_cast<double>(term.coefficient);
        std::uint32_t moved = 0;
        for (int d = 0; d < einsum.dimension_count(); ++d) {
            if (coefficients[d] == 0.0) continue;
            moved |= 1U << d;
            if (coefficients[d] < 0.0) steady = false;
        }
        if (std::popcount(moved) > 1) overlaps = true;
        if ((moved & moving) != 0) {
            overlaps = true;
            steady = false;
        }
        moving |= moved;
        ranks.push_back(coefficients);
        dims.push_back(moved);
    }
}

double Addresses::width(std::size_t rank, const Box& extents) const {
    double width = 1.0;
    for (std::uint32_t left = dims[rank]; left != 0; left &= left - 1) {
        const int d = std::countr_zero(left);
        width += std::abs(ranks[rank][d]) * (extents[d] - 1.0);
    }
    return width;
}

double Addresses::words(const Box& extents) const {
    double words = 1.0;
    for (std::size_t r = 0; r < ranks.size(); ++r) words *= width(r, extents);
    return words;
}

Move Addresses::step(int dimension, double stride) const {
    Move move{};
    for (std::size_t r = 0; r < ranks.size(); ++r) move[r] = ranks[r][dimension] * stride;
    return move;
}

double Addresses::kept(const Box& extents, int dimension, double stride) const {
    double kept = 1.0;
    for (std::size_t r = 0; r < ranks.size(); ++r)
        kept *= std::max(0.0, width(r, extents) - std::abs(ranks[r][dimension]) * stride);
    return kept;
}

std::uint32_t Addresses::beside(int dimension) const {
    std::uint32_t beside = 0;
    for (const std::uint32_t moved : dims)
        if ((moved >> dimension & 1U) != 0) beside |= moved;
    return beside;
}

bool Addresses::shares_dimensions() const {
    std::uint32_t seen = 0;
    for (const std::uint32_t moved : dims) {
        if ((moved & seen) != 0) return true;
        seen |= moved;
    }
    return false;
}

std::vector<std::uint32_t> Addresses::tangles() const {
    std::vector<std::uint32_t> tangles;
    for (std::size_t r = 0; r < ranks.size(); ++r) {
        if (dims[r] == 0) continue;
        std::uint32_t joined = 1U << r;
        std::erase_if(tangles, [&](std::uint32_t before) {
            if ((moving_some_of(before) & dims[r]) == 0) return false;
            joined |= before;
            return true;
        });
        tangles.push_back(joined);
    }
    return tangles;
}

std::uint32_t Addresses::moving_some_of(std::uint32_t some) const {
    std::uint32_t moved = 0;
    for (; some != 0; some &= some - 1) moved |= dims[static_cast<std::size_t>(std::countr_zero(some))];
    return moved;
}

// Sums of k sets of n_i numbers take 1 + sum (n_i - 1) values or more. Of ranks sharing a dimension the widest counts.
double Addresses::distinct_at_least(const Box& extents) const {
    double product = 1.0;
    double widest = 1.0;
    std::uint32_t seen = 0;
    bool shared = false;
    for (const std::uint32_t moved : dims) {
        shared = shared || (moved & seen) != 0;
        seen |= moved;
        double values = 1.0;
        for (std::uint32_t left = moved; left != 0; left &= left - 1) values += extents[std::countr_zero(left)] - 1.0;
        product *= values;
        widest = std::max(widest, values);
    }
    return shared ? widest : product;
}

}  // namespace tilewright::certificate
