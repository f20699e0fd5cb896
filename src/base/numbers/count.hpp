// Count: sizes of spaces in 128 bits; overflow is refused.
#pragma once

#include <string>

#include "base/numbers/checked.hpp"
#include "base/numbers/random.hpp"

namespace tilewright {

__extension__ typedef unsigned __int128 Count;

inline Count checked_mul(Count a, Count b) {
    Count product = 0;
    if (__builtin_mul_overflow(a, b, &product)) throw OverflowError();
    return product;
}

inline Count checked_add(Count a, Count b) {
    Count sum = 0;
    if (__builtin_add_overflow(a, b, &sum)) throw OverflowError();
    return sum;
}

/// Decimal digits.
std::string to_text(Count count);

/// Uniform in [0, bound). Requires bound > 0.
Count draw_below(Random& random, Count bound);

}  // namespace tilewright
