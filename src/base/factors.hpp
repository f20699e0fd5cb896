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

}  // namespace tilewright
