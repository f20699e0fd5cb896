// Python's rounding: ZigZag's integers are rounded doubles.
#pragma once

#include <cstdint>

namespace tilewright::zigzag {

/// round(x): nearest integer, halves to even. Throws OverflowError outside 64 bits.
std::int64_t round_to_even(double x);

/// round(x, 3): to three decimals, judged on the exact value of `x`.
double round_to_thousandths(double x);

/// int(x). Throws OverflowError outside 64 bits.
std::int64_t truncated(double x);

/// ceil(x) as an integer. Throws OverflowError outside 64 bits.
std::int64_t rounded_up(double x);

}  // namespace tilewright::zigzag
