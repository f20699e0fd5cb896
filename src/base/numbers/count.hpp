// Count: sizes of spaces in 128 bits; overflow is refused.
// All distinct orders of a nest's loops: the permutations of a multiset. Equal numbers are equal loops.
#pragma once

#include <cstdint>
#include <span>
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

/// n! / (k1! k2! ...) for loops in classes of k1, k2, ... Throws OverflowError beyond 128 bits.
Count count_orders(std::span<const std::uint8_t> order);

/// The next order, lexicographically; false after the last one, with the loops ascending again.
bool next_order(std::span<std::uint8_t> order);

/// The `index`-th order of this enumeration, made in place of any other. Requires index < count_orders(order).
void make_order(std::span<std::uint8_t> order, Count index);

}  // namespace tilewright
