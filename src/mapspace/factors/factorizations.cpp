#include "mapspace/factors/factorizations.hpp"

#include <algorithm>

#include "base/numbers/factors.hpp"

namespace tilewright {

Factorizations::Factorizations(std::int64_t extent, std::vector<FactorBounds> slots)
    : divisors_(divisors(extent)), bounds_(std::move(slots)) {
    const int count = static_cast<int>(divisors_.size());
    for (const PrimePower& factor : prime_factors(extent)) primes_.push_back(static_cast<std::int32_t>(factor.prime));
    quotient_.assign(static_cast<std::size_t>(count) * static_cast<std::size_t>(count), -1);
    for (int rest = 0; rest < count; ++rest)
        for (int factor = 0; factor <= rest; ++factor) {
            if (divisors_[rest] % divisors_[factor] != 0) continue;
            const auto left = std::lower_bound(divisors_.begin(), divisors_.end(), divisors_[rest] / divisors_[factor]);
            quotient_[rest * count + factor] = static_cast<std::int16_t>(left - divisors_.begin());
        }
    for (const FactorBounds& bounds : bounds_) {
        allowed_.emplace_back();
        for (int factor = 0; factor < count; ++factor)
            if (bounds.allows(divisors_[factor])) allowed_.back().push_back(static_cast<std::int16_t>(factor));
    }
    const int slot_count = static_cast<int>(bounds_.size());
    ways_.assign(bounds_.size() + 1, std::vector<double>(divisors_.size(), 0.0));
    ways_[slot_count][0] = 1.0;
    for (int slot = slot_count - 1; slot >= 0; --slot)
        for (int rest = 0; rest < count; ++rest)
            for (const int factor : allowed_[slot])
                if (const int left = without(rest, factor); left >= 0)
                    ways_[slot][rest] = std::min(ways_[slot][rest] + ways_[slot + 1][left], 0x1.0p53);
}

int Factorizations::draw(Random& random, int slot, int rest) const {
    double left = random.unit() * ways_[slot][rest];
    int last = -1;
    for (const int factor : allowed_[slot]) {
        const int after = without(rest, factor);
        if (after < 0 || ways_[slot + 1][after] == 0.0) continue;
        last = factor;
        left -= ways_[slot + 1][after];
        if (left < 0.0) break;
    }
    return last;
}

}  // namespace tilewright
