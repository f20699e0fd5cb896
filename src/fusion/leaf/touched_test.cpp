#include "fusion/leaf/leaf.hpp"

#include <gtest/gtest.h>

#include "workload/einsum_text.hpp"

namespace tilewright::fusion::touched_test {
namespace {

// Of a window of two words that steps by three, two words of three are touched; where windows overlap, all.
TEST(TouchedWords, WordsThatWindowsStepOverDoNotCount) {
    const Einsum apart = parse_einsum("y[p] += x[3p+r] * w[r]", {{"p", 4}, {"r", 2}});
    EXPECT_DOUBLE_EQ(touched_words(apart.tensors[0], {4, 2}), 8.0);
    const Einsum sliding = parse_einsum("y[p] += x[2p+r] * w[r]", {{"p", 4}, {"r", 3}});
    EXPECT_DOUBLE_EQ(touched_words(sliding.tensors[0], {4, 3}), 9.0);
    EXPECT_DOUBLE_EQ(touched_words(sliding.tensors[0], {4, 1}), 4.0);
}

}  // namespace
}  // namespace tilewright::fusion::touched_test
