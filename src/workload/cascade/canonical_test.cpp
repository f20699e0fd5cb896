#include "workload/cascade/canonical.hpp"

#include <gtest/gtest.h>

#include "workload/cascade/builder.hpp"
#include "workload/cascade/text.hpp"

namespace tilewright::canonical_test {
namespace {

// The access to A, and its own ranks, of a cascade of one einsum.
struct Read {
    Access access;
    std::vector<Rank> ranks;

    bool operator==(const Read&) const = default;
};

Read read_of(const std::string& access, const std::string& filter) {
    const Cascade cascade = parse_cascade(
        "size k=2, p=2, q=3, r=3, s=1, t=1; input A[9,9]; weight W[2,3,1,1]; output B[2,2,3];\n"
        "B[k,p,q] += A[" +
            access + "] * W[" + filter + "]",
        {});
    return {cascade.einsums[0].accesses[0], cascade.einsums[0].einsum.tensors[0].ranks};
}

TEST(CanonicalAccesses, TermsMayStandInAnyOrder) {
    const Read first = read_of("p+r, 2q+s", "k,r,s,t");
    EXPECT_EQ(read_of("r+p, s+2q", "k,r,s,t"), first);
    EXPECT_EQ(read_of("p+r, 2q", "k,r,s,t"), first);
    EXPECT_EQ(read_of("p+r, 2q+s+3t", "k,r,s,t"), first);
    // p and r meet and share a rank; every second word is one of q's own.
    ASSERT_EQ(first.ranks.size(), 2U);
    EXPECT_EQ(first.ranks[0].terms.size(), 2U);
    ASSERT_EQ(first.ranks[1].terms.size(), 1U);
    EXPECT_EQ(first.ranks[1].terms[0].coefficient, 1);
    EXPECT_EQ(first.access.coordinates[1].terms[0].coefficient, 2);
}

std::string ranks_of(const std::string& sizes, const std::string& access) {
    Cascade cascade = parse_cascade("size " + sizes + "; input A; weight W; B[h,p] += A[" + access + "] * W[r]", {});
    Einsum& einsum = cascade.einsums[0].einsum;
    einsum.tensors.erase(einsum.tensors.begin() + 1);
    return to_text(einsum);
}

TEST(CanonicalAccesses, TermsThatCannotMeetHaveRanksOfTheirOwn) {
    EXPECT_EQ(ranks_of("h=3, p=2, r=4", "8h+4p+r"), "B[h, p] += A[h, p, r]");
    EXPECT_EQ(ranks_of("h=3, p=2, r=4", "r+4p+8h"), "B[h, p] += A[h, p, r]");
    EXPECT_EQ(ranks_of("h=3, p=2, r=2", "6h+3p+r"), "B[h, p] += A[h, p, r]");
    // Windows over p stay one rank; those over h are apart.
    EXPECT_EQ(ranks_of("h=3, p=2, r=4", "9h+p+r"), "B[h, p] += A[h, r+p]");
    // Of all-even places every second one is counted.
    EXPECT_EQ(ranks_of("h=3, p=3, r=2", "40h+4p+2r"), "B[h, p] += A[h, p, r]");
    EXPECT_EQ(ranks_of("h=3, p=4, r=3", "40h+4p+2r"), "B[h, p] += A[h, 2*p+r]");
}

TEST(CanonicalAccesses, ATensorReadTwiceAtOnePlaceIsOneOperand) {
    const Cascade cascade =
        parse_cascade("size p=4, r=3, s=1; input A[6]; output B[4]; B[p] += A[p+r] * A[r+p+s] * A[p+r]", {});
    EXPECT_EQ(cascade.einsums[0].einsum.tensors.size(), 2U);
}

TEST(CanonicalAccesses, AResultOfOneValueKeepsItsDimension) {
    const Cascade cascade = parse_cascade(
        "size h=1, e=4, m=3; input A[3,4]; tensor Q[3,4]; Q[m,4h+e] = relu(A[m,e+4h]); R[m,e+4h] = relu(Q[m,4h+e])",
        {});
    EXPECT_EQ(to_text(cascade.einsums[0].einsum), "Q[m, e] += A[m, e]");
    EXPECT_EQ(cascade.einsums[0].accesses,
              (std::vector<Access>{{0, {{{{0, 1}}}, {{{2, 1}}}}}, {1, {{{{0, 1}}}, {{{2, 1}}}}}}));
}

}  // namespace
}  // namespace tilewright::canonical_test
