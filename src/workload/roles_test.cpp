#include "workload/roles.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "workload/einsum_text.hpp"
#include "workload/shapes.hpp"

namespace tilewright::roles_test {
namespace {

using testing::IsEmpty;
using testing::Optional;
using testing::Pair;
using testing::UnorderedElementsAre;

Einsum read(const std::string& text, const std::vector<std::pair<std::string, std::int64_t>>& extents) {
    return parse_einsum(text, extents);
}

// Names of Eyeriss's papers: M filters, C channels, E x F results.
Einsum eyeriss_names() {
    return read("Psum[b,m,e,f] += Filter[m,c,r,s] * Ifmap[b,c,e+r,f+s]",
                {{"b", 1}, {"m", 8}, {"c", 4}, {"e", 7}, {"f", 7}, {"r", 3}, {"s", 3}});
}

TEST(Roles, AConvolutionIsRecognisedWhateverItsNames) {
    const auto names = names_by_role(conv2d(16, 8, 14, 3), eyeriss_names());
    ASSERT_TRUE(names);
    const auto called = [&](const std::string& name) {
        for (const auto& [from, to] : *names)
            if (from == name) return to;
        return std::string("kept");
    };
    EXPECT_EQ(called("K"), "m");
    EXPECT_EQ(called("C"), "c");
    EXPECT_EQ(called("N"), "b");
    EXPECT_EQ(called("Weights"), "Filter");
    EXPECT_EQ(called("Inputs"), "Ifmap");
    EXPECT_EQ(called("Outputs"), "Psum");
    EXPECT_EQ(called("R") == "r", called("P") == "e") << "filter and result go together";
}

TEST(Roles, NamesThatFitAreKept) {
    EXPECT_THAT(names_by_role(conv2d(16, 8, 14, 3), conv2d(4, 4, 4, 1)), Optional(IsEmpty()));
}

TEST(Roles, StridesDoNotMatter) {
    const Einsum strided = read("O[p,k] += W[k,r] * I[2p+r]", {{"p", 4}, {"k", 2}, {"r", 3}});
    const Einsum plain = read("O[x,m] += W[m,t] * I[x+t]", {{"x", 9}, {"m", 5}, {"t", 2}});
    EXPECT_THAT(names_by_role(strided, plain),
                Optional(UnorderedElementsAre(Pair("p", "x"), Pair("k", "m"), Pair("r", "t"))));
}

TEST(Roles, DimensionsThatALayerLacksStayWithoutOne) {
    const Einsum product = read("O[m,n] += A[m,k] * B[k,n]", {{"m", 4}, {"n", 4}, {"k", 4}});
    const Einsum batched = read("Z[b,i,j] += X[b,i,l] * Y[b,l,j]", {{"b", 2}, {"i", 4}, {"j", 4}, {"l", 4}});
    EXPECT_TRUE(names_by_role(product, batched));
    EXPECT_FALSE(names_by_role(batched, product)) << "nothing of a plain product moves all three tensors";
}

TEST(Roles, AnotherKindOfLayerIsNotRecognised) {
    const Einsum product = read("O[m,n] += A[m,k] * B[k,n]", {{"m", 4}, {"n", 4}, {"k", 4}});
    EXPECT_FALSE(names_by_role(conv2d(16, 8, 14, 3), product));
}

}  // namespace
}  // namespace tilewright::roles_test
