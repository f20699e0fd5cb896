// Divisors and prime factors of loop extents.
#pragma once

#include <cstdint>
#include <vector>

namespace tilewright {

struct PrimePower {
    std::int64_t prime = 0;
    int power = 0;

    bool operator==(const PrimePower&) const = default;
};

/// Prime factorisation in ascending order; empty for 1. Requires n >= 1.
std::vector<PrimePower> prime_factors(std::int64_t n);

/// All divisors in ascending order. Requires n >= 1.
std::vector<std::int64_t> divisors(std::int64_t n);

/// At most `limit` factors over all groups, or one each: repeatedly multiplies the two smallest of the group with the
/// most (the first on ties). Groups are ascending.
void limit_factors(std::vector<std::vector<std::int64_t>>& groups, int limit);

}  // namespace tilewright
