#include "base/numbers/random.hpp"

#include <gtest/gtest.h>

#include <array>
#include <set>

namespace tilewright::random_test {
namespace {

TEST(Random, IsTheSameOnEveryPlatform) {
    Random random(0);  // the reference values of SplitMix64 with seed 0
    EXPECT_EQ(random.next(), 0xe220a8397b1dcdafULL);
    EXPECT_EQ(random.next(), 0x6e789e6aa1b965f4ULL);
    EXPECT_EQ(random.next(), 0x06c45d188009454fULL);
}

TEST(Random, StaysWithinItsBounds) {
    Random random(1);
    std::array<int, 7> counts{};
    for (int i = 0; i < 7000; ++i) ++counts[random.below(7)];
    for (const int count : counts) EXPECT_NEAR(count, 1000, 150);

    std::set<std::int64_t> seen;
    for (int i = 0; i < 200; ++i) seen.insert(random.between(-2, 2));
    EXPECT_EQ(seen, (std::set<std::int64_t>{-2, -1, 0, 1, 2}));
}

TEST(Random, CoversTheUnitInterval) {
    Random random(2);
    double sum = 0.0;
    for (int i = 0; i < 10000; ++i) {
        const double value = random.unit();
        ASSERT_GE(value, 0.0);
        ASSERT_LT(value, 1.0);
        sum += value;
    }
    EXPECT_NEAR(sum / 10000, 0.5, 0.02);
}

TEST(Random, SplitsIntoStreamsThatDiffer) {
    std::set<std::uint64_t> firsts;
    for (std::uint64_t i = 0; i < 1000; ++i) firsts.insert(Random(Random::split(42, i)).next());
    EXPECT_EQ(firsts.size(), 1000U);
    EXPECT_EQ(Random::split(42, 7), Random::split(42, 7));
    EXPECT_NE(Random::split(42, 7), Random::split(43, 7));
}

}  // namespace
}  // namespace tilewright::random_test
