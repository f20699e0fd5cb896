#include "workload/einsum.hpp"

#include <gtest/gtest.h>

#include <string>

#include "base/numbers/checked.hpp"

namespace tilewright::einsum_test {
namespace {

// O[k, p] += W[k, r] * I[2p + r], K 4, P 5, R 3
Einsum convolution() {
    return {"conv1d",
            {{"K", 4}, {"P", 5}, {"R", 3}},
            {{"W", {Rank{{{0, 1}}}, Rank{{{2, 1}}}}, false},
             {"I", {Rank{{{1, 2}, {2, 1}}}}, false},
             {"O", {Rank{{{0, 1}}}, Rank{{{1, 1}}}}, true}}};
}

TEST(Einsum, FindsDimensionsAndTensorsByName) {
    const Einsum einsum = convolution();
    EXPECT_EQ(find_dimension(einsum, "R"), 2);
    EXPECT_EQ(find_dimension(einsum, "r"), -1);
    EXPECT_EQ(find_tensor(einsum, "O"), 2);
    EXPECT_EQ(find_tensor(einsum, "K"), -1);
}

TEST(Einsum, KnowsWhichDimensionsMoveATensor) {
    const Einsum einsum = convolution();
    EXPECT_TRUE(is_relevant(einsum.tensors[1], 1));
    EXPECT_TRUE(is_relevant(einsum.tensors[1], 2));
    EXPECT_FALSE(is_relevant(einsum.tensors[1], 0));
}

TEST(Einsum, CountsOperationsAndWords) {
    const Einsum einsum = convolution();
    EXPECT_EQ(operation_count(einsum), 4 * 5 * 3);
    EXPECT_EQ(tensor_words(einsum, 0), 4 * 3);
    EXPECT_EQ(tensor_words(einsum, 1), 2 * 4 + 2 + 1);
    EXPECT_EQ(tensor_words(einsum, 2), 4 * 5);
}

TEST(Einsum, CountsTheReachOfNegativeCoefficients) {
    Einsum einsum = convolution();
    einsum.tensors[1].ranks[0].terms[1].coefficient = -3;
    EXPECT_EQ(tensor_words(einsum, 1), 2 * 4 + 3 * 2 + 1);
}

TEST(Einsum, RefusesToWrapAround) {
    Einsum einsum = convolution();
    einsum.dimensions[0].extent = 1LL << 62;
    EXPECT_THROW((void)operation_count(einsum), OverflowError);
    EXPECT_THROW((void)tensor_words(einsum, 2), OverflowError);
}

TEST(Einsum, NamesWhatIsWrong) {
    EXPECT_EQ(problem_with(convolution()), "");
    EXPECT_EQ(problem_with(Einsum{}), "an einsum needs at least one dimension");

    Einsum einsum = convolution();
    einsum.dimensions[1].extent = 0;
    EXPECT_EQ(problem_with(einsum), "dimension 'P' has extent 0; extents start at 1");

    einsum = convolution();
    einsum.dimensions[1].name = "K";
    EXPECT_EQ(problem_with(einsum), "two dimensions are called 'K'");

    einsum = convolution();
    einsum.tensors[1].name = "W";
    EXPECT_EQ(problem_with(einsum), "two tensors are called 'W'");

    einsum = convolution();
    einsum.tensors[1].ranks[0].terms[0].coefficient = 0;
    EXPECT_EQ(problem_with(einsum), "tensor 'I' has a zero coefficient");

    einsum = convolution();
    einsum.tensors[1].ranks[0].terms[0].dimension = 3;
    EXPECT_EQ(problem_with(einsum), "tensor 'I' uses a dimension that does not exist");

    einsum = convolution();
    einsum.tensors[1].ranks[0].terms[0].dimension = 2;
    EXPECT_EQ(problem_with(einsum), "tensor 'I' names dimension 'R' twice in one rank");

    einsum = convolution();
    einsum.tensors[2].written = false;
    EXPECT_EQ(problem_with(einsum), "no tensor is written");
}

TEST(Einsum, RefusesMoreThanTheEvaluatorsHold) {
    Einsum einsum = convolution();
    for (int d = 0; d < kMaxDimensions; ++d) einsum.dimensions.push_back({"x" + std::to_string(d), 1});
    EXPECT_NE(problem_with(einsum), "");

    einsum = convolution();
    einsum.tensors[0].ranks.resize(kMaxRanks + 1);
    EXPECT_NE(problem_with(einsum), "");
}

TEST(Einsum, IsWrittenForPeople) { EXPECT_EQ(to_text(convolution()), "O[K, P] += W[K, R] * I[2*P+R]"); }

TEST(TensorSet, AddsAndRemoves) {
    TensorSet set;
    EXPECT_TRUE(set.empty());
    set.add(1);
    set.add(3);
    EXPECT_TRUE(set.has(1) && set.has(3) && !set.has(2));
    set.remove(1);
    EXPECT_EQ(set, TensorSet::of(3));
    EXPECT_EQ(TensorSet::all(3).bits(), 7U);
}

}  // namespace
}  // namespace tilewright::einsum_test
