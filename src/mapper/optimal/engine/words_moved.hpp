// Words read and written so far by a label's memories, per instance, if bandwidth matters: numbers or ranges.
//
// A row has the certain cycles of the slowest memory, then reads and writes of every memory.
// Range: lower and upper end of an uncertain number.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

namespace tilewright::optimal {

struct Range {
    double lo = 0.0;
    double hi = 0.0;

    static Range exactly(double value) { return {value, value}; }
    bool is_exact() const { return lo == hi; }
    Range& operator+=(const Range& other) {
        lo += other.lo;
        hi += other.hi;
        return *this;
    }
};

inline double lower_end(double value) { return value; }
inline double lower_end(const Range& range) { return range.lo; }

inline double larger(double a, double b) { return std::max(a, b); }
inline Range larger(const Range& a, const Range& b) { return {std::max(a.lo, b.lo), std::max(a.hi, b.hi)}; }

constexpr std::size_t words_in_row(int level_count) { return 2 * static_cast<std::size_t>(level_count) + 1; }
constexpr std::size_t reads_at(int level) { return 2 * static_cast<std::size_t>(level) + 1; }
constexpr std::size_t writes_at(int level) { return reads_at(level) + 1; }

template <typename Charges>
double cycles_for(const Charges& charges, int level, double reads, double writes) {
    return charges.cycles_for(level, reads, writes);
}
template <typename Charges>
Range cycles_for(const Charges& charges, int level, const Range& reads, const Range& writes) {
    return {charges.cycles_for(level, reads.lo, writes.lo), charges.cycles_for(level, reads.hi, writes.hi)};
}

/// All words of the memories in `known` are counted: from now on only their slowest memory's cycles matter.
template <typename Value, typename Charges>
void fold(const Charges& charges, std::uint32_t known, std::span<Value> row) {
    for (int l = 0; l < charges.level_count(); ++l) {
        if ((known >> l & 1U) == 0) continue;
        Value& reads = row[reads_at(l)];
        Value& writes = row[writes_at(l)];
        row[0] = larger(row[0], cycles_for(charges, l, reads, writes));
        reads = writes = {};
    }
}

/// Lower bound of the cycles of the slowest memory so far.
template <typename Value, typename Charges>
double least_cycles(const Charges& charges, std::span<const Value> row) {
    double cycles = lower_end(row[0]);
    for (int l = 0; l < charges.level_count(); ++l)
        cycles = std::max(cycles, charges.cycles_for(l, lower_end(row[reads_at(l)]), lower_end(row[writes_at(l)])));
    return cycles;
}

// A tile overlapping its next positions (docs/model.md, "Perfect nests").

struct SlidingTile {
    std::uint32_t along = 0;  ///< dimensions moving the rank of the innermost loop that moves the tile
    double slide = 0.0;       ///< shift of that loop
    double reset = 0.0;       ///< shift of the tile by all loops since, undone by the next one
    double words = 0.0;
    double kept = 0.0;  ///< words kept by a slide

    /// Words kept when the next loop outside moves the tile by `shift`.
    double saved(double shift) const {
        const double by = shift - reset;
        return by == 0.0 ? words : by == slide ? kept : 0.0;
    }
    /// The next loop outside moves the tile by `shift` in each of `factor` steps.
    void run(double shift, double factor) { reset += (factor - 1.0) * shift; }

    bool slides_along(int dimension) const { return (along >> dimension & 1U) != 0; }

    /// Any later loops save the same words of both. (Dimensions of the sliding rank only decide when saving ends.)
    bool moves_like(const SlidingTile& other) const {
        return slide == other.slide && reset == other.reset && words == other.words && kept == other.kept;
    }
};

}  // namespace tilewright::optimal
