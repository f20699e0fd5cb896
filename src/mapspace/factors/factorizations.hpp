// All ways to deal one extent to a row of bounded slots, counted and drawn without listing.
//
// The rest after the first slots is always a divisor of the extent: a table over (slot, divisor) suffices.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/numbers/random.hpp"

namespace tilewright {

struct FactorBounds {
    std::int64_t at_least = 1;
    std::int64_t at_most = INT64_MAX;

    bool allows(std::int64_t factor) const { return at_least <= factor && factor <= at_most; }
};

class Factorizations {
   public:
    /// Requires 1 <= extent < 2^31.
    Factorizations(std::int64_t extent, std::vector<FactorBounds> slots);

    std::int64_t extent() const { return divisors_.back(); }
    const FactorBounds& bounds(int slot) const { return bounds_[slot]; }
    /// The different prime factors, ascending.
    const std::vector<std::int32_t>& primes() const { return primes_; }

    /// `rest`: number of a divisor, the part still to be dealt. This is the whole extent.
    int whole() const { return static_cast<int>(divisors_.size()) - 1; }
    std::int64_t value(int rest) const { return divisors_[rest]; }

    /// Number of ways to deal `rest` to the slots from `slot` on. (Saturates at 2^53.)
    double ways(int slot, int rest) const { return ways_[slot][rest]; }

    /// `rest` without `factor` (a divisor's number), -1 if it does not divide.
    int without(int rest, int factor) const { return quotient_[rest * static_cast<int>(divisors_.size()) + factor]; }
    /// Divisors allowed to slot `slot`, as numbers, ascending.
    const std::vector<std::int16_t>& allowed(int slot) const { return allowed_[slot]; }

    /// Draws a factor for `slot` in proportion to its completions. Requires ways(slot, rest) > 0.
    int draw(Random& random, int slot, int rest) const;

   private:
    std::vector<std::int64_t> divisors_;
    std::vector<std::int32_t> primes_;
    std::vector<FactorBounds> bounds_;
    std::vector<std::int16_t> quotient_;
    std::vector<std::vector<std::int16_t>> allowed_;
    std::vector<std::vector<double>> ways_;  ///< [slot][rest], one slot more
};

}  // namespace tilewright
