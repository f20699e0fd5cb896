#include "codegen/cuda/code.hpp"

#include <gtest/gtest.h>

#include "workload/einsum_text.hpp"

namespace tilewright::cuda::code_test {
namespace {

TEST(Sum, LeavesOutWhatSaysNothing) {
    EXPECT_EQ(Sum().text(), "0");
    EXPECT_EQ(Sum().add("k").add("p", 0).add("c", 8).text(), "k + c * 8");
}

TEST(Sum, PutsSumsInBracketsWhereTheyAreMultiplied) {
    const Sum inner = Sum().add("p_at").add("p", 2);
    EXPECT_EQ(Sum().add(inner, 3).add("r").text(), "(p_at + p * 2) * 3 + r");
    EXPECT_EQ(Sum().add("r").add(inner).text(), "r + p_at + p * 2");
    EXPECT_EQ(Sum().add(Sum(), 3).text(), "0");
    EXPECT_EQ(Sum().add(Sum().add("p", 2), 3).text(), "p * 2 * 3");
}

TEST(Code, IndentsBlocks) {
    Code code;
    code.open("for (;;)");
    code.open("if (x)");
    code.line("y();");
    code.close_to(0);
    EXPECT_EQ(code.text(), "for (;;) {\n    if (x) {\n        y();\n    }\n}\n");
}

TEST(Names, AreIdentifiersNearToWhatTheUserWrote) {
    EXPECT_EQ(identifier("layer1.0/conv2"), "layer1_0_conv2");
    EXPECT_EQ(identifier("/Conv_3/"), "conv_3");
    EXPECT_EQ(identifier("3x3"), "x3x3");
    EXPECT_EQ(identifier("\xc3\xa4"), "x");
}

TEST(Names, AreDistinctAndMeanNothingElse) {
    const Einsum einsum = parse_einsum("Sum[for, K, k_tile] += a[for, k] * A[k, K, k_tile]",
                                       {{"for", 2}, {"K", 2}, {"k", 2}, {"k_tile", 2}});
    const Names names = names_for(einsum);
    EXPECT_EQ(names.dimensions, (std::vector<std::string>{"for2", "k", "k2", "ktile"}));
    EXPECT_EQ(names.tensors, (std::vector<std::string>{"a", "a2", "sum2"}));
}

TEST(Names, CommentsStayInTheirLine) { EXPECT_EQ(comment("a\\\nint x; // ?"), "a__int x; // _"); }

}  // namespace
}  // namespace tilewright::cuda::code_test
