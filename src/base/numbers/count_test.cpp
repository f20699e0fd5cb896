#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <set>
#include <vector>

#include "base/numbers/count.hpp"

namespace tilewright::count_test {
namespace {

constexpr Count kMost = ~Count{0};

TEST(Count, IsShownInFull) {
    EXPECT_EQ(to_text(0), "0");
    EXPECT_EQ(to_text(9081726354), "9081726354");
    EXPECT_EQ(to_text(kMost), "340282366920938463463374607431768211455");
}

TEST(Count, DoesNotWrap) {
    EXPECT_EQ(to_text(checked_mul(kMost / 3, Count{3})), to_text(kMost));
    EXPECT_THROW(checked_mul(kMost / 3, Count{4}), OverflowError);
    EXPECT_EQ(to_text(checked_add(kMost - 1, Count{1})), to_text(kMost));
    EXPECT_THROW(checked_add(kMost, Count{1}), OverflowError);
}

TEST(Count, DrawsBelowLargeBoundsEvenly) {
    Random random(7);
    const Count bound = Count{3} << 64;  // the two lower thirds are whole words
    int thirds[3] = {0, 0, 0};
    for (int i = 0; i < 30'000; ++i) {
        const Count drawn = draw_below(random, bound);
        ASSERT_LT(drawn, bound);
        ++thirds[static_cast<int>(drawn >> 64)];
    }
    for (const int seen : thirds) EXPECT_NEAR(seen, 10'000, 400);
    EXPECT_EQ(to_text(draw_below(random, 1)), "0");
}

}  // namespace

}  // namespace tilewright::count_test

namespace tilewright::orderings_test {
namespace {

using Order = std::vector<std::uint8_t>;

TEST(Orderings, CountIsTheMultinomial) {
    EXPECT_EQ(count_orders(Order{0}), Count{1});
    EXPECT_EQ(count_orders(Order{0, 0, 1, 2}), Count{12});
    const Order darknet19_conv2{0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 3, 4, 4, 4, 4, 4, 5};
    EXPECT_EQ(count_orders(darknet19_conv2),
              Count{18} * 17 * 16 * 15 * 14 * 13 * 12 * 11 * 10 * 9 * 8 * 7 / (24 * 120));
}

TEST(Orderings, AreEachSeenOnceAndInOrder) {
    Order order{0, 0, 1, 1, 2};
    std::set<Order> seen;
    Count index = 0;
    do {
        EXPECT_TRUE(seen.insert(order).second);
        Order made{2, 1, 0, 1, 0};
        make_order(made, index++);
        EXPECT_EQ(made, order);
    } while (next_order(order));
    EXPECT_EQ(seen.size(), 30U);
    EXPECT_EQ(order, (Order{0, 0, 1, 1, 2})) << "and then it starts again";
}

TEST(Orderings, TooManyToCountAreRefused) {
    Order order;
    for (int i = 0; i < 60; ++i) order.push_back(static_cast<std::uint8_t>(i));
    EXPECT_THROW(count_orders(order), OverflowError);
}

}  // namespace

}  // namespace tilewright::orderings_test
