#include "base/numbers/orderings.hpp"

#include <gmock/gmock.h>

#include <set>
#include <vector>

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
