#include "workload/cascade/text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "workload/cascade/layers.hpp"
#include "workload/shapes.hpp"

namespace tilewright::text_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kAttention =
    "S[h,m,l] += Q[h,m,e] * K[h,l,e]; P[h,m,l] = exp(S[h,m,l]); O[h,m,f] += P[h,m,l] * V[h,l,f]";
const std::vector<std::pair<std::string, std::int64_t>> kSizes{{"h", 2}, {"m", 6}, {"l", 5}, {"e", 4}, {"f", 3}};

TensorRole role_of(const Cascade& cascade, const std::string& name) {
    return cascade.tensors.at(static_cast<std::size_t>(find_tensor(cascade, name))).role;
}

TEST(CascadeText, AttentionIsThreeEinsums) {
    const Cascade cascade = parse_cascade(kAttention, kSizes);
    ASSERT_EQ(cascade.einsum_count(), 3);
    EXPECT_EQ(cascade.einsums[0].kind, EinsumKind::contraction);
    EXPECT_EQ(cascade.einsums[1].kind, EinsumKind::elementwise);
    EXPECT_THAT(cascade.einsums[1].operations, ElementsAre(OperationCount{OperationClass::exponential, 1}));
    EXPECT_EQ(to_text(cascade.einsums[2].einsum), "O[h, m, f] += P[h, m, l] * V[h, l, f]");
    EXPECT_EQ(role_of(cascade, "S"), TensorRole::intermediate);
    EXPECT_EQ(role_of(cascade, "V"), TensorRole::input);
    EXPECT_EQ(role_of(cascade, "O"), TensorRole::output);
}

TEST(CascadeText, StatisticsMayBeOnline) {
    const Cascade cascade = parse_cascade(
        "size m = 4, l = 8; online top[m], sum[m] += softmax(S[m,l]);\n"
        "P[m,l] = exp(S[m,l] - top[m]) / sum[m]  # two passes");
    EXPECT_TRUE(cascade.einsums[0].online);
    EXPECT_EQ(cascade.einsums[0].kind, EinsumKind::statistics);
    EXPECT_THAT(cascade.einsums[0].operations,
                ElementsAre(OperationCount{OperationClass::add, 3}, OperationCount{OperationClass::exponential, 1}));
    EXPECT_THAT(cascade.einsums[1].operations,
                ElementsAre(OperationCount{OperationClass::exponential, 1}, OperationCount{OperationClass::add, 1},
                            OperationCount{OperationClass::divide, 1}));
}

TEST(CascadeText, CachesAreWrittenInPartAndBlocksRepeat) {
    const Cascade cascade = parse_cascade(
        "size b=2, d=8, L=10, e=4; cache K[b, L, e]; weight W, V;\n"
        "block decoder 3 {\n"
        "  key: K[b, 9, e] += x[b,d] * W[d,e];\n"
        "  scores: s[b,L] += q[b,e] * K[b,L,e];\n"
        "  y[b,d] += s[b,L] * V[L,d];\n"
        "  carry y -> x;\n"
        "}\n");
    EXPECT_EQ(cascade.blocks, (std::vector<Block>{{"decoder", 0, 3, 3}}));
    const int x = find_tensor(cascade, "x");
    EXPECT_EQ(cascade.tensors[x].carried_from, find_tensor(cascade, "y"));
    EXPECT_THAT(cascade.tensors[find_tensor(cascade, "K")].shape, ElementsAre(2, 10, 4));
    EXPECT_EQ(cascade.einsums[0].name, "key");
    EXPECT_EQ(network_of(cascade).layers[1].repeats, 3);
}

TEST(CascadeText, PaddingAndHeadsSideBySideAreCoordinates) {
    const Cascade cascade = parse_cascade(
        "size p=8, r=3, c=2, k=6, h=2, e=3; A[k,p] += I[c,p+r-1] * W[k,c,r]; B[h,p] += A[3h+e,p] * V[h,e]");
    EXPECT_THAT(cascade.tensors[find_tensor(cascade, "I")].shape, ElementsAre(2, 8));
    EXPECT_EQ(to_text(cascade.einsums[1].einsum), "B[h, p] += A[h, e, p] * V[h, e]");
    EXPECT_THAT(cascade.einsums[1].accesses[0].coordinates[0].terms, ElementsAre(Term{0, 3}, Term{2, 1}));
    EXPECT_EQ(cascade.einsums[0].accesses[0].coordinates[1].offset, -1);
}

TEST(CascadeText, AViewOfATableMovesNothing) {
    const Cascade cascade = parse_cascade(
        "size t=4, d=8, v=100, n=2; weight table[v, d], W; view x[t, d] of table; y[t,n] += x[t,d] * W[d,n]");
    const int x = find_tensor(cascade, "x");
    EXPECT_EQ(cascade.tensors[x].view_of, find_tensor(cascade, "table"));
    EXPECT_EQ(role_of(cascade, "table"), TensorRole::weight);
    EXPECT_EQ(cascade.einsum_count(), 1);
}

std::string mistake_in(const std::string& text) {
    try {
        parse_cascade(text, kSizes, "cascade", "a.cascade");
    } catch (const InputError& error) {
        return std::to_string(error.where().line) + ":" + std::to_string(error.where().column) + " " + error.message();
    }
    return "";
}

TEST(CascadeText, EveryMistakeIsOneLocatedMessage) {
    EXPECT_EQ(mistake_in("P[h,m,l] = exp(S[h,m,l]);\nS[h,m,l] += Q[h,m,e] * K[h,l,e,f]"),
              "1:16 'S' is read before it is written");
    EXPECT_EQ(mistake_in("S[h,m] += Q[h,m,e] * K[h,f,e];\nP[h,l] = exp(S[h,l])"),
              "2:18 reads words 0 to 4 along axis 1 of 'S', which has 6 as its writer makes it");
    EXPECT_EQ(mistake_in("S[h,m] += Q[h,m,e] * K[e,f,l];\nP[h] = exp(S[h])"),
              "2:12 'S' has 1 axis here and 2 elsewhere");
    EXPECT_EQ(mistake_in("P[h,x] = exp(S[h,m])"), "1:5 no size is given for 'x'");
    EXPECT_THAT(mistake_in("P[h,m] = exq(S[h,m])"), HasSubstr("1:10 no function is called 'exq'; did you mean 'exp'?"));
    EXPECT_EQ(mistake_in("P[h,m] = exp(S[h,m,l,e,f])"),
              "1:1 the result does not have dimension 'f': write += or max= to reduce over it");
    EXPECT_EQ(mistake_in("P[h,m] = exp(S[h,m]"), "1:20 expected ')'");
    EXPECT_EQ(mistake_in("P[h,m] = exp(S[h,m])"), "1:1 size 'e' is given but no statement uses it");
    EXPECT_EQ(mistake_in("cache Z;\nP[h,m] = exp(S[h,m])"), "1:7 no statement has a tensor 'Z'");
    EXPECT_EQ(mistake_in("size h=3; P[h,m] = exp(S[h,m])"), "1:6 size 'h' is given twice");
    EXPECT_EQ(mistake_in("input P;\nP[h,m,e] += S[h,m,l] * Q[e,l,f]"),
              "2:1 'P' is declared as an input and is not written");
    EXPECT_EQ(mistake_in("carry P -> S; P[h,m,l,e,f] = exp(S[h,m,l,e,f])"), "1:7 'carry' belongs into a block");
    EXPECT_EQ(mistake_in("block a 2 { P[h,m,l,e,f] = exp(S[h,m,l,e,f])"), "1:45 expected '}': a block is not ended");
    EXPECT_EQ(mistake_in("P[h,m,l,e,f] = exp(S[h,m,l,e,f]) }"), "1:34 there is no block that '}' could end");
    EXPECT_EQ(mistake_in("online P[h,m,l,e,f] = exp(S[h,m,l,e,f])"),
              "1:8 only statistics of rows are online: a += or max= of one tensor over a dimension that the result "
              "does not have");
    EXPECT_EQ(mistake_in(""), "1:1 a cascade needs at least one einsum");
}

TEST(CascadeLayers, GroupedQueriesFoldIntoRows) {
    const Cascade cascade =
        parse_cascade("size b=2, h=3, g=4, m=5, l=6, e=7; S[b,h,g,m,l] += Q[b,m,h,g,e] * K[b,h,l,e]");
    EXPECT_THAT(layers_of(cascade.einsums[0]), ElementsAre(batched_matmul(6, 20, 7, 6)));
}

TEST(CascadeLayers, ElementwiseWorkKeepsPointsAndWords) {
    const Cascade cascade = parse_cascade("size b=2, m=3, d=4; Y[b,m,d] = X[b,m,d] * rsqrt(s[b,m]) * g[d]");
    const std::vector<Einsum> layers = layers_of(cascade.einsums[0]);
    ASSERT_EQ(layers.size(), 2U);
    EXPECT_EQ(to_text(layers[0]), "Outputs[G, N] += Inputs[G, N] * Weights[G]");
    EXPECT_EQ(to_text(layers[1]), "Outputs[N, G] += Inputs[N, G] * Weights[G]");
    EXPECT_EQ(tensor_words(layers[0], 1), 6);
    EXPECT_EQ(tensor_words(layers[1], 1), 4);
    EXPECT_EQ(operation_count(layers[1]), 24);
}

}  // namespace
}  // namespace tilewright::text_test
