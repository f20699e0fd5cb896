#include "timeloop/account/box.hpp"

#include <algorithm>
#include <cmath>

namespace tilewright::account {

Projection::Projection(const Tensor& tensor, int dimensions)
    : ranks_(static_cast<int>(tensor.ranks.size())), dimensions_(dimensions) {
    for (int rank = 0; rank < ranks_; ++rank)
        for (const Term& term : tensor.ranks[rank].terms) coefficient_[rank][term.dimension] += term.coefficient;
}

Box Projection::box(const Iteration& at, const Iteration& reach) const {
    Box box;
    for (int rank = 0; rank < ranks_; ++rank) {
        std::int64_t low = 0;
        std::int64_t high = 1;
        for (int d = 0; d < dimensions_; ++d) {
            const std::int64_t c = coefficient_[rank][d];
            const std::int64_t near = c * at[d];
            const std::int64_t far = c * (at[d] + reach[d]);
            low += std::min(near, far);
            high += std::max(near, far);
        }
        box.low[rank] = low;
        box.high[rank] = high;
    }
    return box;
}

Point Projection::move(int dimension, std::int64_t distance) const {
    Point move{};
    for (int rank = 0; rank < ranks_; ++rank) move[rank] = coefficient_[rank][dimension] * distance;
    return move;
}

std::int64_t words(const Box& box, int ranks) {
    std::int64_t product = 1;
    for (int rank = 0; rank < ranks; ++rank) product *= box.high[rank] - box.low[rank];
    return product;
}

std::int64_t common_words(const Box& a, const Box& b, int ranks) {
    std::int64_t product = 1;
    for (int rank = 0; rank < ranks; ++rank)
        product *= std::max<std::int64_t>(0, std::min(a.high[rank], b.high[rank]) - std::max(a.low[rank], b.low[rank]));
    return product;
}

void subtract(Box a, const Box& b, int ranks, BoxSet& out) {
    if (common_words(a, b, ranks) == 0) {
        out.push_back(a);
        return;
    }
    for (int rank = 0; rank < ranks; ++rank) {
        if (a.low[rank] < b.low[rank]) {
            out.push_back(a);
            out.back().high[rank] = b.low[rank];
            a.low[rank] = b.low[rank];
        }
        if (b.high[rank] < a.high[rank]) {
            out.push_back(a);
            out.back().low[rank] = b.high[rank];
            a.high[rank] = b.high[rank];
        }
    }
}

namespace {

/// Centre of a box along one rank, weighted and unweighted by its volume in doubles as in Timeloop: the rounding shows
/// for huge boxes.
double centroid(const Box& box, int rank, double volume) {
    const double half = static_cast<double>(box.high[rank] - 1 - box.low[rank]) / 2;
    return (static_cast<double>(box.low[rank]) + half) * volume / volume;
}

}  // namespace

Point translation(const Box& from, const Box& to, int ranks) {
    const double from_volume = static_cast<double>(words(from, ranks));
    const double to_volume = static_cast<double>(words(to, ranks));
    Point move{};
    for (int rank = 0; rank < ranks; ++rank)
        move[rank] = std::llround(centroid(to, rank, to_volume) - centroid(from, rank, from_volume));
    return move;
}

Point sum(const Point& a, const Point& b) {
    Point result{};
    for (int rank = 0; rank < kMaxRanks; ++rank) result[rank] = a[rank] + b[rank];
    return result;
}

Point difference(const Point& a, const Point& b) {
    Point result{};
    for (int rank = 0; rank < kMaxRanks; ++rank) result[rank] = a[rank] - b[rank];
    return result;
}

std::strong_ordering compare(const BoxSet& a, const Point& move_a, const BoxSet& b, const Point& move_b) {
    if (a.size() != b.size()) return a.size() <=> b.size();
    for (std::size_t i = 0; i < a.size(); ++i) {
        if (const auto order = sum(a[i].low, move_a) <=> sum(b[i].low, move_b); order != 0) return order;
        if (const auto order = sum(a[i].high, move_a) <=> sum(b[i].high, move_b); order != 0) return order;
    }
    return std::strong_ordering::equal;
}

}  // namespace tilewright::account
