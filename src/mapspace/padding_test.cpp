#include "mapspace/constraints.hpp"

#include <gtest/gtest.h>

#include "fixtures/outer_product.hpp"

namespace tilewright::padding_test {
namespace {

using fixtures::machine;
using fixtures::product;

TEST(Padding, RoundsUpToTheFanOut) {
    EXPECT_EQ(paddings(product(113, 1), machine({16, 1}), {}), (std::vector{product(113, 1), product(128, 1)}));
    EXPECT_EQ(paddings(product(128, 1), machine({16, 1}), {}), (std::vector{product(128, 1)})) << "divides already";
    EXPECT_EQ(paddings(product(13, 1), machine({16, 1}), {}), (std::vector{product(13, 1)})) << "fits whole";
}

TEST(Padding, GivesEachAxisOneDimension) {
    EXPECT_EQ(paddings(product(11, 9), machine({4, 1}), {}),
              (std::vector{product(11, 9), product(12, 9), product(11, 12)}));
    const std::vector<Einsum> both = paddings(product(11, 9), machine({4, 5}), {});
    EXPECT_NE(std::find(both.begin(), both.end(), product(12, 10)), both.end()) << "M along X, N along Y";
    EXPECT_NE(std::find(both.begin(), both.end(), product(15, 12)), both.end()) << "M along Y, N along X";
}

TEST(Padding, LeavesAloneWhatMayNotSpread) {
    Constraints constraints;
    constraints.levels.resize(2);
    constraints.levels[0].spatial.factors = {{1, 1, std::nullopt}, {}};
    EXPECT_EQ(paddings(product(11, 9), machine({4, 1}), constraints), (std::vector{product(11, 9), product(11, 12)}));
}

}  // namespace
}  // namespace tilewright::padding_test
