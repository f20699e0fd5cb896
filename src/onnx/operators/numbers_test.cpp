#include "onnx/operators/numbers.hpp"

#include <gtest/gtest.h>

namespace tilewright::onnx::numbers_test {
namespace {

TEST(Numbers, OnlyAPermutationPermutes) {
    const View matrix{{2, 3}, 0, {3, 1}};
    EXPECT_EQ(permuted(matrix, {1, 0}).value().extents, (std::vector<std::int64_t>{3, 2}));
    // Sorted, its beginning is a permutation's; its first axis is far outside.
    EXPECT_FALSE(permuted(matrix, {1'000'000'000, 0}));
    EXPECT_FALSE(permuted(matrix, {0, 0}));
    EXPECT_FALSE(permuted(matrix, {0}));
}

}  // namespace
}  // namespace tilewright::onnx::numbers_test
