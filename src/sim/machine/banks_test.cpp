// Bank conflicts of a memory.
#include "sim/machine/banks.hpp"

#include <gtest/gtest.h>

namespace tilewright::sim::banks_test {
namespace {

// Four banks with rows of two words; the tensors have eight words each, and begin in banks 0 and 0.
Banks four_banks() { return {4, 2, {8.0, 8.0}}; }

TEST(Banks, AStreamNeverMeetsItself) {
    Banks banks = four_banks();
    for (Cycle now = 0; now < 20; ++now) {
        ASSERT_TRUE(banks.free(now, 0, 8.0)) << now;
        banks.read(now, 0, 8.0);
    }
}

TEST(Banks, TwoTensorsMeetInABank) {
    Banks banks = four_banks();
    banks.read(0, 0, 2.0);  // bank 0
    EXPECT_FALSE(banks.free(0, 1, 2.0));
    EXPECT_EQ(banks.next_free(0), 1);
    EXPECT_TRUE(banks.free(1, 1, 2.0));
    banks.read(1, 1, 2.0);
    EXPECT_TRUE(banks.free(1, 0, 2.0));  // bank 1
    EXPECT_EQ(banks.next_free(2), 0);
}

TEST(Banks, TheRestOfARowIsInHand) {
    Banks banks = four_banks();
    banks.read(0, 0, 1.0);
    EXPECT_TRUE(banks.free(0, 0, 1.0));
    EXPECT_FALSE(banks.free(0, 1, 1.0));
}

TEST(Banks, WhatArrivesIsWrittenWhenItsBankIsFree) {
    Banks banks = four_banks();
    banks.read(0, 0, 2.0);
    banks.write(0, 1, 2.0);  // after it
    EXPECT_FALSE(banks.free(1, 1, 2.0));
    EXPECT_TRUE(banks.free(2, 1, 2.0));
}

TEST(Banks, LongReadsTakeTheirBanksInTurns) {
    Banks banks(2, 2, {64.0, 64.0});
    banks.read(0, 0, 12.0);  // three rows of each bank, in cycles 0, 1 and 2
    EXPECT_FALSE(banks.free(2, 1, 2.0));
    EXPECT_TRUE(banks.free(3, 1, 2.0));
}

}  // namespace
}  // namespace tilewright::sim::banks_test
