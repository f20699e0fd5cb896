// Boxes of tensor elements and their differences: what a tile holds, and what it needs that its predecessor did not
// hold.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "workload/einsum.hpp"

namespace tilewright::account {

/// A point of a tensor (or a move through it); ranks that the tensor does not have stay 0.
using Point = std::array<std::int64_t, kMaxRanks>;

/// low <= x < high in every rank; never empty.
struct Box {
    Point low{};
    Point high{};

    auto operator<=>(const Box&) const = default;
};

/// Disjoint boxes, in ascending order.
using BoxSet = std::vector<Box>;

/// A point of the iteration space.
using Iteration = std::array<std::int64_t, kMaxDimensions>;

/// Where one tensor is touched: per rank the bounding interval of the iterations' images.
class Projection {
   public:
    Projection() = default;
    Projection(const Tensor& tensor, int dimensions);

    int ranks() const { return ranks_; }
    /// Elements touched by the iterations at .. at + reach (reach >= 0 per dimension).
    Box box(const Iteration& at, const Iteration& reach) const;
    /// How far the tensor moves when `dimension` moves by `distance`.
    Point move(int dimension, std::int64_t distance) const;

   private:
    int ranks_ = 0;
    int dimensions_ = 0;
    std::array<Iteration, kMaxRanks> coefficient_{};
};

std::int64_t words(const Box& box, int ranks);
std::int64_t common_words(const Box& a, const Box& b, int ranks);

/// a \ b, appended to `out` in no particular order.
void subtract(Box a, const Box& b, int ranks, BoxSet& out);

/// How far `to` lies from `from`, by their centroids, rounded half away from zero.
Point translation(const Box& from, const Box& to, int ranks);

Point sum(const Point& a, const Point& b);
Point difference(const Point& a, const Point& b);

/// a moved by `move_a` and b moved by `move_b`: three-way comparison. Both sets are in ascending order.
std::strong_ordering compare(const BoxSet& a, const Point& move_a, const BoxSet& b, const Point& move_b);

}  // namespace tilewright::account
