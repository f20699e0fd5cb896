#include "timeloop/account/box.hpp"

#include <gtest/gtest.h>

#include "base/numbers/random.hpp"

namespace tilewright::account::box_test {
namespace {

Box box2(std::int64_t x0, std::int64_t x1, std::int64_t y0, std::int64_t y1) { return {{x0, y0}, {x1, y1}}; }

std::int64_t words_of(const BoxSet& set) {
    std::int64_t total = 0;
    for (const Box& box : set) total += words(box, 2);
    return total;
}

TEST(Projection, OfASlidingWindowIsTheBoundingIntervalOfBothLoops) {
    const Tensor input{"I", {Rank{{{0, 2}, {1, 1}}}}, false};  // I[2p + r]
    const Projection projection(input, 2);
    const Box box = projection.box({3, 0}, {4, 2});  // p 3..7, r 0..2
    EXPECT_EQ(box.low[0], 6);
    EXPECT_EQ(box.high[0], 17);
    EXPECT_EQ(projection.move(0, 3)[0], 6);
}

TEST(Projection, OfANegativeCoefficientSwapsTheEnds) {
    const Tensor tensor{"T", {Rank{{{0, -1}}}}, false};
    const Box box = Projection(tensor, 1).box({2}, {3});
    EXPECT_EQ(box.low[0], -5);
    EXPECT_EQ(box.high[0], -1);
}

TEST(Projection, OfATensorWithoutRanksIsOneWord) {
    EXPECT_EQ(words(Projection(Tensor{"s", {}, true}, 2).box({}, {4, 4}), 0), 1);
}

TEST(Subtract, LeavesDisjointBoxesThatMakeUpTheRest) {
    Random random(7);
    for (int round = 0; round < 500; ++round) {
        const auto side = [&] { return static_cast<std::int64_t>(random.below(6)); };
        const std::int64_t ax = side(), ay = side(), bx = side(), by = side();
        const Box a = box2(ax, ax + 1 + side(), ay, ay + 1 + side());
        const Box b = box2(bx, bx + 1 + side(), by, by + 1 + side());
        BoxSet rest;
        subtract(a, b, 2, rest);
        EXPECT_EQ(words_of(rest), words(a, 2) - common_words(a, b, 2));
        for (std::size_t i = 0; i < rest.size(); ++i) {
            EXPECT_GT(words(rest[i], 2), 0);
            EXPECT_EQ(common_words(rest[i], b, 2), 0);
            EXPECT_EQ(common_words(rest[i], a, 2), words(rest[i], 2));
            for (std::size_t j = 0; j < i; ++j) EXPECT_EQ(common_words(rest[i], rest[j], 2), 0);
        }
    }
}

TEST(Translation, IsTheDistanceOfTheCentresRoundedAwayFromZero) {
    EXPECT_EQ(translation(box2(0, 4, 0, 4), box2(4, 8, -2, 2), 2), (Point{4, -2}));
    EXPECT_EQ(translation(box2(0, 4, 0, 4), box2(0, 5, 0, 3), 2), (Point{1, -1}));  // half a word either way
}

TEST(Compare, OrdersSetsByTheirMovedBoxes) {
    const BoxSet a{box2(0, 1, 0, 1)};
    const BoxSet b{box2(2, 3, 0, 1)};
    EXPECT_TRUE(compare(a, {2, 0}, b, {}) == 0);
    EXPECT_TRUE(compare(a, {}, b, {}) < 0);
    EXPECT_TRUE(compare({}, {}, b, {}) < 0);
}

}  // namespace
}  // namespace tilewright::account::box_test
