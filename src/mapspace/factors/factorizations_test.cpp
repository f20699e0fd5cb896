#include "mapspace/factors/factorizations.hpp"

#include <gtest/gtest.h>

#include <map>
#include <vector>

namespace tilewright::factorizations_test {
namespace {

std::vector<std::int64_t> draw_all(const Factorizations& space, Random& random, int slots) {
    std::vector<std::int64_t> factors;
    int rest = space.whole();
    for (int slot = 0; slot < slots; ++slot) {
        const int factor = space.draw(random, slot, rest);
        factors.push_back(space.value(factor));
        rest = space.without(rest, factor);
    }
    return factors;
}

TEST(Factorizations, CountsTheWays) {
    const Factorizations free(12, {{}, {}, {}});
    EXPECT_EQ(free.ways(0, free.whole()), 6 * 3) << "2*2 over three slots, times 3 over three slots";
    const Factorizations bounded(12, {{1, 2}, {3, 6}, {}});
    EXPECT_EQ(bounded.ways(0, bounded.whole()), 5) << "1 3 4, 1 4 3, 1 6 2, 2 3 2 and 2 6 1";
    const Factorizations impossible(7, {{2, 3}});
    EXPECT_EQ(impossible.ways(0, impossible.whole()), 0);
    EXPECT_EQ(Factorizations(60, {}).primes(), (std::vector<std::int32_t>{2, 3, 5}));
}

TEST(Factorizations, DrawsEveryWayEquallyOften) {
    const Factorizations space(12, {{}, {1, 4}, {}});
    const double ways = space.ways(0, space.whole());
    std::map<std::vector<std::int64_t>, int> seen;
    Random random(1);
    constexpr int kDraws = 20'000;
    for (int i = 0; i < kDraws; ++i) ++seen[draw_all(space, random, 3)];
    EXPECT_EQ(static_cast<double>(seen.size()), ways);
    for (const auto& [factors, times] : seen) {
        EXPECT_EQ(factors[0] * factors[1] * factors[2], 12);
        EXPECT_LE(factors[1], 4);
        EXPECT_NEAR(times, kDraws / ways, 0.15 * kDraws / ways);
    }
}

}  // namespace
}  // namespace tilewright::factorizations_test
