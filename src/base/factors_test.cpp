#include "base/factors.hpp"

#include <gtest/gtest.h>

namespace tilewright {
namespace {

TEST(Factors, ArePrimePowersInAscendingOrder) {
    EXPECT_EQ(prime_factors(360), (std::vector<PrimePower>{{2, 3}, {3, 2}, {5, 1}}));
    EXPECT_EQ(prime_factors(97), (std::vector<PrimePower>{{97, 1}}));
    EXPECT_TRUE(prime_factors(1).empty());
}

TEST(Factors, OfASquareOfAPrimeAreThatPrimeTwice) {
    EXPECT_EQ(prime_factors(1000003LL * 1000003LL), (std::vector<PrimePower>{{1000003LL, 2}}));
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

}  // namespace
}  // namespace tilewright
