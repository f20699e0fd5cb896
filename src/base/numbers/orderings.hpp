// All distinct orders of a nest's loops: the permutations of a multiset. Equal numbers are equal loops.
#pragma once

#include <cstdint>
#include <span>

#include "base/numbers/count.hpp"

namespace tilewright {

/// n! / (k1! k2! ...) for loops in classes of k1, k2, ... Throws OverflowError beyond 128 bits.
Count count_orders(std::span<const std::uint8_t> order);

/// The next order, lexicographically; false after the last one, with the loops ascending again.
bool next_order(std::span<std::uint8_t> order);

/// The `index`-th order of this enumeration, made in place of any other. Requires index < count_orders(order).
void make_order(std::span<std::uint8_t> order, Count index);

}  // namespace tilewright
