// 64-bit arithmetic that refuses to wrap: extents, counts and capacities multiply quickly.
// The largest exact count of a double; infinity, the initial value of a minimum over costs.
#pragma once

#include <cstdint>
#include <limits>
#include <stdexcept>

namespace tilewright {

/// A product or sum left 64 bits. The command line reports it as an input error ("the layer is too large to count").
class OverflowError : public std::overflow_error {
   public:
    OverflowError() : std::overflow_error("a count does not fit in 64 bits") {}
};

inline std::int64_t checked_mul(std::int64_t a, std::int64_t b) {
    std::int64_t product = 0;
    if (__builtin_mul_overflow(a, b, &product)) throw OverflowError();
    return product;
}

inline std::int64_t checked_add(std::int64_t a, std::int64_t b) {
    std::int64_t sum = 0;
    if (__builtin_add_overflow(a, b, &sum)) throw OverflowError();
    return sum;
}

/// a * b, or the maximum on overflow: for upper bounds. Requires a, b >= 0.
inline std::int64_t saturating_mul(std::int64_t a, std::int64_t b) {
    std::int64_t product = 0;
    return __builtin_mul_overflow(a, b, &product) ? std::numeric_limits<std::int64_t>::max() : product;
}

/// Smallest integer >= a / b. Requires a >= 0 and b > 0.
constexpr std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return a / b + (a % b != 0 ? 1 : 0); }

/// 2^53: doubles count exactly up to here; above it they are whole, but not every whole number.
inline constexpr double kMostExact = 9007199254740992.0;

inline constexpr double kInfinite = std::numeric_limits<double>::infinity();

}  // namespace tilewright
