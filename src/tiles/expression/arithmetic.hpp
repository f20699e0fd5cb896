// What the operators and functions of rule files do. Throws Unanswerable, a reason in words, where there is no value.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "tiles/expression/expression.hpp"

namespace tilewright::tiles {

struct Unanswerable {
    ErrorCode code;
    const char* why;
};

inline void refuse_unless(bool good, ErrorCode code, const char* why) {
    if (!good) [[unlikely]]
        throw Unanswerable{code, why};
}

inline constexpr const char* kTooLarge = "the value does not fit in 64 bits";
inline constexpr const char* kByZero = "a division by zero";

inline std::int64_t floor_divided(std::int64_t a, std::int64_t b) {
    if (b == 0) [[unlikely]]
        throw Unanswerable{ErrorCode::bad_value, kByZero};
    refuse_unless(b != -1 || a != std::numeric_limits<std::int64_t>::min(), ErrorCode::overflow, kTooLarge);
    const std::int64_t quotient = a / b;
    return quotient - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0);
}
inline double floor_divided(double a, double b) {
    refuse_unless(b != 0.0, ErrorCode::bad_value, kByZero);
    return std::floor(a / b);
}

/// As in Python: of the divisor's sign.
inline std::int64_t modulo(std::int64_t a, std::int64_t b) {
    if (b == 0) [[unlikely]]
        throw Unanswerable{ErrorCode::bad_value, kByZero};
    if (b == -1) return 0;
    const std::int64_t rest = a % b;
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}
inline double modulo(double a, double b) { return a - b * floor_divided(a, b); }

inline std::int64_t ceil_divided(std::int64_t a, std::int64_t b) {
    const std::int64_t down = floor_divided(a, b);
    return down + (a % b != 0 ? 1 : 0);
}
inline double ceil_divided(double a, double b) {
    refuse_unless(b != 0.0, ErrorCode::bad_value, kByZero);
    return std::ceil(a / b);
}

inline std::int64_t sum(std::int64_t a, std::int64_t b) {
    std::int64_t value = 0;
    refuse_unless(!__builtin_add_overflow(a, b, &value), ErrorCode::overflow, kTooLarge);
    return value;
}
inline double sum(double a, double b) { return a + b; }

inline std::int64_t difference(std::int64_t a, std::int64_t b) {
    std::int64_t value = 0;
    refuse_unless(!__builtin_sub_overflow(a, b, &value), ErrorCode::overflow, kTooLarge);
    return value;
}
inline double difference(double a, double b) { return a - b; }

inline std::int64_t product(std::int64_t a, std::int64_t b) {
    std::int64_t value = 0;
    refuse_unless(!__builtin_mul_overflow(a, b, &value), ErrorCode::overflow, kTooLarge);
    return value;
}
inline double product(double a, double b) { return a * b; }

std::int64_t raised(std::int64_t base, std::int64_t exponent);
inline double raised(double base, double exponent) { return std::pow(base, exponent); }

inline double divided(double a, double b) {
    refuse_unless(b != 0.0, ErrorCode::bad_value, kByZero);
    return a / b;
}

/// Passes that one load of `width` words by each of `threads`, `stride` words apart, takes in 32 banks; and the lines
/// of 32 words that it touches. At most 1,024 threads and 64 words.
double bank_conflicts(double threads, double stride, double width);
double bank_lines(double threads, double stride, double width);

}  // namespace tilewright::tiles
