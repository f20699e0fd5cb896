#include "silicon/accuracy.hpp"

#include <gtest/gtest.h>

namespace tilewright::silicon::accuracy_test {
namespace {

TEST(Accuracy, ErrorsAreRelativeToWhatWasMeasured) {
    const Accuracy reached = accuracy_of({110.0, 90.0, 100.0, 150.0}, {100.0, 100.0, 100.0, 100.0});
    EXPECT_EQ(reached.cases, 4U);
    EXPECT_NEAR(reached.median, 0.10, 1e-12);
    EXPECT_NEAR(reached.worst, 0.50, 1e-12);
    EXPECT_NEAR(reached.mean, 0.175, 1e-12);
    EXPECT_NEAR(reached.ninetieth, 0.38, 1e-12);  // seven tenths of the way from 0.1 to 0.5
    EXPECT_NEAR(reached.bias, 0.05, 1e-12);
}

TEST(Accuracy, RanksCompareOrders) {
    EXPECT_NEAR(accuracy_of({1.0, 2.0, 3.0}, {10.0, 20.0, 30.0}).rank, 1.0, 1e-12);
    EXPECT_NEAR(accuracy_of({3.0, 2.0, 1.0}, {10.0, 20.0, 30.0}).rank, -1.0, 1e-12);
    EXPECT_NEAR(accuracy_of({1.0, 1.0, 2.0}, {1.0, 2.0, 3.0}).rank, 0.8660254037844387, 1e-12);
    EXPECT_EQ(accuracy_of({1.0, 1.0}, {1.0, 2.0}).rank, 0.0);
}

TEST(Accuracy, AClaimIsDeniedByAnyOfItsNumbers) {
    Accuracy reached;
    reached.cases = 10;
    reached.median = 0.04;
    reached.ninetieth = 0.20;
    reached.rank = 0.995;
    EXPECT_TRUE(meets(reached, {.median = 0.05, .ninetieth = 0.27, .rank = 0.99}));
    EXPECT_FALSE(meets(reached, {.median = 0.03, .ninetieth = 0.27, .rank = 0.99}));
    EXPECT_FALSE(meets(reached, {.median = 0.05, .ninetieth = 0.19, .rank = 0.99}));
    EXPECT_FALSE(meets(reached, {.median = 0.05, .ninetieth = 0.27, .rank = 0.999}));
    EXPECT_FALSE(meets({}, {.median = 1.0, .ninetieth = 1.0}));  // nothing was compared
}

}  // namespace
}  // namespace tilewright::silicon::accuracy_test
