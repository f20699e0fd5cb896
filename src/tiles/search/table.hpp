// One answer for a range of an extent: the fewest intervals, a point each, such that at every whole number of an
// interval its point is within the loss of the best legal point there.
//
// From the left, the point that stays within the loss the longest: a part of a good interval is good, so that greed is
// optimal. Every number is evaluated: between two of them a quotient of two times need not be monotone.
//
//     const Table table = make_table(problem, given, axis, {1, 4096}, 0.05, options);
//     const Interval* interval = lookup(table, 37);     // null: no point is legal there, or it is outside
//
// Pure functions; thread-safe.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tiles/search/ask.hpp"

namespace tilewright::tiles {

struct Interval {
    std::int64_t from = 0;
    std::int64_t to = 0;
    std::vector<std::int64_t> point;  ///< empty: none is legal
    double worst_loss = 0.0;
};

struct Range {
    std::int64_t low = 1;
    std::int64_t high = 1;
};

struct Table {
    std::vector<Interval> intervals;
    bool complete = true;  ///< false: some search ended early, and its best is only the best found
};

inline constexpr std::int64_t kMostRange = 1'000'000;

/// `axis`: which of the given extents varies. Throws InputError(usage) for a range that is empty or has more than a
/// million numbers, and as ask().
Table make_table(const Problem& problem, std::span<const std::int64_t> given, std::size_t axis, Range range,
                 double loss, const AskOptions& options);

/// The interval of a number; null where there is none or it has no point.
const Interval* lookup(const Table& table, std::int64_t number);

}  // namespace tilewright::tiles
