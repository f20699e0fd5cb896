// Range: lower and upper end of an uncertain number.
#pragma once

#include <algorithm>

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

}  // namespace tilewright::optimal
