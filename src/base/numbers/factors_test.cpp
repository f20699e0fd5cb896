#include "base/numbers/factors.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "base/numbers/random.hpp"

namespace tilewright::factors_test {
namespace {

TEST(Factors, ArePrimePowersInAscendingOrder) {
    EXPECT_EQ(prime_factors(360), (std::vector<PrimePower>{{2, 3}, {3, 2}, {5, 1}}));
    EXPECT_EQ(prime_factors(97), (std::vector<PrimePower>{{97, 1}}));
    EXPECT_TRUE(prime_factors(1).empty());
}

TEST(Factors, OfLargeNumbersAreFoundAtOnce) {
    constexpr std::int64_t kMersenne31 = 2147483647;
    constexpr std::int64_t kMersenne61 = 2305843009213693951;
    EXPECT_EQ(prime_factors(kMersenne61), (std::vector<PrimePower>{{kMersenne61, 1}}));
    EXPECT_EQ(prime_factors(kMersenne31 * kMersenne31), (std::vector<PrimePower>{{kMersenne31, 2}}));
    EXPECT_EQ(prime_factors(12 * 1000003LL * 1000033LL),
              (std::vector<PrimePower>{{2, 2}, {3, 1}, {1000003, 1}, {1000033, 1}}));
    EXPECT_EQ(prime_factors(1031LL * 1031 * 1031), (std::vector<PrimePower>{{1031, 3}}));
    EXPECT_EQ(prime_factors(9223372036854775807),
              (std::vector<PrimePower>{{7, 2}, {73, 1}, {127, 1}, {337, 1}, {92737, 1}, {649657, 1}}));
}

TEST(Factors, MultiplyToTheNumber) {
    Random random(9);
    for (int i = 0; i < 2000; ++i) {
        const std::int64_t n = random.between(1, std::numeric_limits<std::int64_t>::max() >> random.below(62));
        std::int64_t product = 1;
        std::int64_t last = 1;
        for (const PrimePower& factor : prime_factors(n)) {
            EXPECT_GT(factor.prime, last);
            last = factor.prime;
            for (int k = 0; k < factor.power; ++k) product *= factor.prime;
            EXPECT_EQ(prime_factors(factor.prime), (std::vector<PrimePower>{{factor.prime, 1}}));
        }
        EXPECT_EQ(product, n);
    }
}

TEST(Divisors, AreAllOfThem) {
    EXPECT_EQ(divisors(1), (std::vector<std::int64_t>{1}));
    EXPECT_EQ(divisors(12), (std::vector<std::int64_t>{1, 2, 3, 4, 6, 12}));
    for (std::int64_t n = 1; n <= 300; ++n) {
        std::vector<std::int64_t> expected;
        for (std::int64_t d = 1; d <= n; ++d)
            if (n % d == 0) expected.push_back(d);
        ASSERT_EQ(divisors(n), expected);
    }
}

TEST(LimitFactors, MultipliesTheTwoSmallestOfTheLargestGroup) {
    std::vector<std::vector<std::int64_t>> groups{{2, 2, 2}, {2, 3, 7}, {5}};
    limit_factors(groups, 5);
    EXPECT_EQ(groups, (std::vector<std::vector<std::int64_t>>{{2, 4}, {6, 7}, {5}}));
    limit_factors(groups, 1);
    EXPECT_EQ(groups, (std::vector<std::vector<std::int64_t>>{{8}, {42}, {5}})) << "each keeps one";
}

}  // namespace
}  // namespace tilewright::factors_test
