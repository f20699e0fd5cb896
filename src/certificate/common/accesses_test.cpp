#include "certificate/common/accesses.hpp"

#include <gtest/gtest.h>

#include "fixtures/fused_bottleneck.hpp"

namespace tilewright::certificate::accesses_test {
namespace {

Cascade filter() {
    return parse_cascade(
        "size k=2, p=2, q=3, r=3, s=1; input A[4,3]; weight W[2,3,1]; output B[2,2,3];\n"
        "e: B[k,p,q] += A[p+r, s+q] * W[k,r,s]",
        {});
}

std::vector<WrongAccess> wrong_in(const Cascade& cascade) { return wrong_accesses(cascade, as_read(cascade)); }

TEST(Accesses, WhatSourcesMakeIsReadTheSame) {
    EXPECT_TRUE(wrong_in(filter()).empty());
    EXPECT_TRUE(wrong_in(fixtures::bottleneck(4, 5)).empty());
    EXPECT_TRUE(as_read(filter()).einsums == filter().einsums);
}

// Overlapping windows are one rank: its words are not those of p times those of r.
TEST(Accesses, RanksThatDoNotFollowFromCoordinatesAreRefused) {
    Cascade cascade = filter();
    CascadeEinsum& one = cascade.einsums[0];
    const int q = find_dimension(one.einsum, "q");
    const int s = find_dimension(one.einsum, "s");
    one.accesses[0].coordinates[1].terms = {{s, 1}, {q, 1}};
    EXPECT_TRUE(wrong_in(cascade).empty());  // the order of terms is irrelevant
    const int r = find_dimension(one.einsum, "r");
    const int p = find_dimension(one.einsum, "p");
    one.einsum.tensors[0].ranks = {{{{p, 1}}}, {{{r, 1}}}, {{{q, 1}}}};
    const std::vector<WrongAccess> wrong = wrong_in(cascade);
    ASSERT_EQ(wrong.size(), 1U);
    EXPECT_EQ(wrong[0].field, "network.einsums.0.einsum.tensors.0.ranks");
    EXPECT_EQ(wrong[0].message, "'e' counts the words of A[p, r, q], and its coordinates say A[r+p, q]");
}

TEST(Accesses, ResultsLieInTheirTensors) {
    Cascade cascade = filter();
    cascade.tensors[2].shape[1] = 1;
    const std::vector<WrongAccess> wrong = wrong_in(cascade);
    ASSERT_EQ(wrong.size(), 1U);
    EXPECT_EQ(wrong[0].field, "network.tensors.2.shape.1");
    EXPECT_EQ(wrong[0].message, "'e' makes words 0 to 1 along axis 1 of 'B', which has 1");
}

}  // namespace
}  // namespace tilewright::certificate::accesses_test
