// Boxes of a tensor's words, and sets of words as boxes that do not overlap.
//
// A set stays small where it is put together by steps that march along one axis after the other: boxes that touch in a
// whole side become one. Values; thread-safe.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "workload/cascade/cascade.hpp"

namespace tilewright::fused {

/// Axes that a tensor of a fused mapping may have.
inline constexpr int kMaxAxes = kMaxRanks;

/// Never empty; axes beyond those of the tensor are [0, 0].
using Box = std::array<Interval, kMaxAxes>;

/// Nothing where an axis is empty. Requires at most kMaxAxes.
std::optional<Box> box_of(const std::vector<Interval>& axes);

std::int64_t words(const Box& box);
std::optional<Box> intersection(const Box& a, const Box& b);
/// The smallest box around both.
Box hull(const Box& a, const Box& b);
void extend(std::optional<Box>& around, const std::optional<Box>& more);

/// Of a word of a tensor, or by how much it moves.
using Place = std::array<std::int64_t, kMaxAxes>;
Box moved(Box box, const Place& by, std::int64_t times);

class Region {
   public:
    const std::vector<Box>& boxes() const { return boxes_; }
    bool empty() const { return boxes_.empty(); }
    std::int64_t words() const;

    void clear() { boxes_.clear(); }
    void add(const Box& box);
    void keep_only(const Box& box);
    void move(const Place& by, std::int64_t times);
    /// What of the box is not in the set, as boxes that do not overlap.
    std::vector<Box> missing(const Box& box) const;

   private:
    void insert(Box box);

    std::vector<Box> boxes_;
};

std::int64_t words(const std::vector<Box>& boxes);

}  // namespace tilewright::fused
