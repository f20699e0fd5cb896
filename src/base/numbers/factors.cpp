#include "base/numbers/factors.hpp"

#include <algorithm>
#include <numeric>

namespace tilewright {
namespace {

__extension__ typedef unsigned __int128 Wide;
using Number = std::uint64_t;

constexpr Number kTrialLimit = 1024;

Number multiplied(Number a, Number b, Number modulus) {
    return static_cast<Number>(static_cast<Wide>(a) * b % modulus);
}

Number power(Number base, Number exponent, Number modulus) {
    Number result = 1;
    for (base %= modulus; exponent > 0; exponent /= 2) {
        if (exponent % 2 == 1) result = multiplied(result, base, modulus);
        base = multiplied(base, base, modulus);
    }
    return result;
}

// Miller and Rabin's test; these bases decide every 64-bit number (Jim Sinclair). Requires n without factors below
// kTrialLimit.
bool is_prime(Number n) {
    const int twos = __builtin_ctzll(n - 1);
    for (const Number base : {2ULL, 325ULL, 9375ULL, 28178ULL, 450775ULL, 9780504ULL, 1795265022ULL}) {
        Number x = power(base, (n - 1) >> twos, n);
        if (x == 0 || x == 1 || x == n - 1) continue;
        bool composite = true;
        for (int i = 1; i < twos && composite; ++i) {
            x = multiplied(x, x, n);
            composite = x != n - 1;
        }
        if (composite) return false;
    }
    return true;
}

// A proper divisor of a composite n, by Pollard's rho.
Number split(Number n) {
    for (Number offset = 1;; ++offset) {
        const auto step = [&](Number x) { return static_cast<Number>((static_cast<Wide>(x) * x + offset) % n); };
        Number slow = 2;
        Number fast = 2;
        Number divisor = 1;
        while (divisor == 1) {
            slow = step(slow);
            fast = step(step(fast));
            divisor = std::gcd(slow > fast ? slow - fast : fast - slow, n);
        }
        if (divisor != n) return divisor;
    }
}

// The rest after trial division has few, large prime factors.
void add_large_primes(Number n, std::vector<std::int64_t>& primes) {
    if (n == 1) return;
    if (n < kTrialLimit * kTrialLimit || is_prime(n)) {
        primes.push_back(static_cast<std::int64_t>(n));
        return;
    }
    const Number divisor = split(n);
    add_large_primes(divisor, primes);
    add_large_primes(n / divisor, primes);
}

}  // namespace

std::vector<PrimePower> prime_factors(std::int64_t n) {
    std::vector<PrimePower> factors;
    for (std::int64_t p = 2; p < static_cast<std::int64_t>(kTrialLimit) && p <= n / p; p += p == 2 ? 1 : 2) {
        int times = 0;
        for (; n % p == 0; n /= p) ++times;
        if (times > 0) factors.push_back({p, times});
    }
    std::vector<std::int64_t> large;
    add_large_primes(static_cast<Number>(n), large);
    std::sort(large.begin(), large.end());
    for (const std::int64_t prime : large) {
        if (factors.empty() || factors.back().prime != prime) factors.push_back({prime, 0});
        ++factors.back().power;
    }
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

void limit_factors(std::vector<std::vector<std::int64_t>>& groups, int limit) {
    std::size_t count = 0;
    for (const auto& group : groups) count += group.size();
    for (const auto most = static_cast<std::size_t>(std::max(limit, static_cast<int>(groups.size()))); count > most;
         --count) {
        auto& group = *std::max_element(groups.begin(), groups.end(),
                                        [](const auto& a, const auto& b) { return a.size() < b.size(); });
        group[1] *= group[0];
        group.erase(group.begin());
        std::sort(group.begin(), group.end());
    }
}

}  // namespace tilewright
