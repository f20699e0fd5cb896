// Boxes of tensor elements and their differences: tiles and their deltas.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "workload/einsum.hpp"

namespace tilewright::account {

/// A point or displacement in a tensor; absent ranks stay 0.
using Point = std::array<std::int64_t, kMaxRanks>;

/// low <= x < high per rank; never empty.
struct Box {
    Point low{};
    Point high{};

    auto operator<=>(const Box&) const = default;
};

/// Disjoint boxes, in ascending order.
using BoxSet = std::vector<Box>;

/// A point of the iteration space.
using Iteration = std::array<std::int64_t, kMaxDimensions>;

/// Elements of one tensor under an iteration box: per rank the bounding interval.
class Projection {
   public:
    Projection() = default;
    Projection(const Tensor& tensor, int dimensions);

    int ranks() const { return ranks_; }
    /// Elements of the iterations at .. at + reach (reach >= 0 per dimension).
    Box box(const Iteration& at, const Iteration& reach) const;
    /// Displacement in the tensor for `distance` steps of `dimension`.
    Point move(int dimension, std::int64_t distance) const;

   private:
    int ranks_ = 0;
    int dimensions_ = 0;
    std::array<Iteration, kMaxRanks> coefficient_{};
};

std::int64_t words(const Box& box, int ranks);
std::int64_t common_words(const Box& a, const Box& b, int ranks);

/// Appends a \ b to `out`, unordered.
void subtract(Box a, const Box& b, int ranks, BoxSet& out);

/// Displacement between the centroids, rounded half away from zero.
Point translation(const Box& from, const Box& to, int ranks);

Point sum(const Point& a, const Point& b);
Point difference(const Point& a, const Point& b);

/// Three-way comparison of a moved by `move_a` and b moved by `move_b`. Both sets are ascending.
std::strong_ordering compare(const BoxSet& a, const Point& move_a, const BoxSet& b, const Point& move_b);

}  // namespace tilewright::account
