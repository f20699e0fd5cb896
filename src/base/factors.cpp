#include "base/factors.hpp"

#include <algorithm>

namespace tilewright {

std::vector<PrimePower> prime_factors(std::int64_t n) {
    std::vector<PrimePower> factors;
    for (std::int64_t p = 2; p <= n / p; p += p == 2 ? 1 : 2) {
        int power = 0;
        for (; n % p == 0; n /= p) ++power;
        if (power > 0) factors.push_back({p, power});
    }
    if (n > 1) factors.push_back({n, 1});
    return factors;
}

std::vector<std::int64_t> divisors(std::int64_t n) {
    std::vector<std::int64_t> all{1};
    for (const PrimePower& factor : prime_factors(n)) {
        const std::size_t before = all.size();
        std::int64_t scale = 1;
        for (int k = 0; k < factor.power; ++k) {
            scale *= factor.prime;
            for (std::size_t i = 0; i < before; ++i) all.push_back(all[i] * scale);
        }
    }
    std::sort(all.begin(), all.end());
    return all;
}

}  // namespace tilewright
