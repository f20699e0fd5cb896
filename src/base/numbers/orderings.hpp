// All distinct orders of a nest's loops: the permutations of a multiset. Equal numbers are loops that are alike.
#pragma once

#include <cstdint>
#include <span>

#include "base/numbers/count.hpp"

namespace tilewright {

/// n! / (k1! k2! ...) for loops of which k1, k2, ... are alike. Throws OverflowError beyond 128 bits.
Count count_orders(std::span<const std::uint8_t> order);

/// The next order, lexicographically; false after the last one, when the loops are ascending again.
bool next_order(std::span<std::uint8_t> order);

/// The order of that number in this enumeration, made in place of any other one. Requires index < count_orders(order).
void make_order(std::span<std::uint8_t> order, Count index);

}  // namespace tilewright
