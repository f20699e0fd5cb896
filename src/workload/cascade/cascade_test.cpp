#include "workload/cascade/cascade.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "workload/cascade/builder.hpp"
#include "workload/einsum_text.hpp"

namespace tilewright::cascade_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Einsum conv(std::int64_t size, std::int64_t stride = 1) {
    return parse_einsum(
        "O[k,p,q] += I[c," + std::to_string(stride) + "p+r," + std::to_string(stride) + "q+s] * W[k,c,r,s]",
        {{"k", 8}, {"p", size}, {"q", size}, {"c", 8}, {"r", 3}, {"s", 3}});
}

// Two 3x3 convolutions with padding 1, the second with stride 2.
std::vector<ChainStep> two_convolutions() { return {{"a", conv(8), {0, 1, 1}}, {"b", conv(4, 2), {0, 1, 1}}}; }

// parse_einsum puts operands before results.
TEST(Cascade, AChainSharesWhatOneMakesAndTheNextReads) {
    const Cascade chain = chain_cascade("two", two_convolutions());
    ASSERT_EQ(chain.einsum_count(), 2);
    const CascadeTensor& between = chain.tensors[find_tensor(chain, "a.O")];
    EXPECT_EQ(between.role, TensorRole::intermediate);
    EXPECT_THAT(between.shape, ElementsAre(8, 8, 8));
    EXPECT_THAT(between.writers, ElementsAre(TensorUse{0, 2}));
    EXPECT_THAT(between.readers, ElementsAre(TensorUse{1, 0}));
    EXPECT_EQ(chain.tensors[find_tensor(chain, "I")].role, TensorRole::input);
    EXPECT_THAT(chain.tensors[find_tensor(chain, "I")].shape, ElementsAre(8, 8, 8));
    EXPECT_EQ(chain.tensors[find_tensor(chain, "b.O")].role, TensorRole::output);
    EXPECT_EQ(chain.tensors[find_tensor(chain, "b.W")].role, TensorRole::weight);
}

TEST(Cascade, PaddingIsNotReached) {
    const Cascade chain = chain_cascade("two", two_convolutions());
    const Access& access = chain.einsums[1].accesses[0];
    const CascadeTensor& between = chain.tensors[access.tensor];
    // k, p, q, c, r, s: the first output reads rows -1 to 1, the last rows 5 to 7.
    const auto rows = [&](std::int64_t p) {
        return reached(access, {{0, 7}, {p, p}, {0, 3}, {0, 7}, {0, 2}, {0, 2}}, between)[1];
    };
    EXPECT_EQ(rows(0), (Interval{0, 1}));
    EXPECT_EQ(rows(1), (Interval{1, 3}));
    EXPECT_EQ(rows(3), (Interval{5, 7}));
}

std::string mistake_of(const std::vector<ChainStep>& steps) {
    try {
        chain_cascade("wrong", steps);
    } catch (const InputError& error) {
        return error.message();
    }
    return "";
}

TEST(Cascade, SizesOfProducerAndConsumerHaveToAgree) {
    EXPECT_THAT(mistake_of({{"a", conv(8), {0, 1, 1}}, {"b", conv(9), {0, 1, 1}}}),
                HasSubstr("einsum 'b' reads 10 words along rank 1 of 'I', its producer makes 8"));
    EXPECT_THAT(mistake_of({{"a", conv(8), {0, 1, 1}}, {"b", conv(4, 1), {0, 1, 1}}}), HasSubstr("reads 5 words"));
    const Einsum product = parse_einsum("O[m,n] += A[m,k] * B[k,n]", {{"m", 4}, {"n", 8}, {"k", 2}});
    EXPECT_THAT(mistake_of({{"a", conv(8)}, {"b", product}}), HasSubstr("reads 2 ranks of a tensor with 3"));
}

// Side-by-side heads in a projection are an access: S reads Q at (m, 4h + e).
Cascade attention() {
    CascadeBuilder cascade("attention");
    const int x = cascade.tensor("x", TensorRole::input, {6, 8});
    const int w = cascade.tensor("w", TensorRole::weight, {8, 8});
    const int q = cascade.tensor("q", TensorRole::intermediate, {6, 8});
    const int k = cascade.tensor("k", TensorRole::cache, {2, 5, 4});
    const int s = cascade.tensor("s", TensorRole::output, {2, 6, 5});
    cascade.begin_block("block", 3);
    cascade.einsum({"query", "Gemm", parse_einsum("q[m,n] += x[m,d] * w[d,n]", {{"m", 6}, {"n", 8}, {"d", 8}})},
                   {x, w, q});
    CascadeEinsum scores{"scores", "MatMul",
                         parse_einsum("s[h,m,l] += q[h,m,e] * k[h,l,e]", {{"h", 2}, {"m", 6}, {"l", 5}, {"e", 4}})};
    scores.accesses.push_back({q, {{{{1, 1}}}, {{{0, 4}, {3, 1}}}}});
    scores.accesses.push_back(plain_access(k, scores.einsum.tensors[1]));
    scores.accesses.push_back(plain_access(s, scores.einsum.tensors[2]));
    cascade.einsum(std::move(scores));
    cascade.end_block();
    return cascade.take();
}

TEST(Cascade, AReshapeIsAnAccessAndMovesNothing) {
    const Cascade cascade = attention();
    const Access& access = cascade.einsums[1].accesses[0];
    const auto box = reached(access, {{1, 1}, {2, 3}, {0, 4}, {0, 3}}, cascade.tensors[2]);
    EXPECT_THAT(box, ElementsAre(Interval{2, 3}, Interval{4, 7}));
    EXPECT_EQ(repeats_of(cascade, 1), 3);
}

std::string problem_after(void (*change)(Cascade&)) {
    Cascade cascade = attention();
    change(cascade);
    return problem_with(cascade);
}

TEST(Cascade, EveryMistakeHasItsWords) {
    EXPECT_EQ(problem_with(attention()), "");
    EXPECT_EQ(problem_after([](Cascade& c) { c.tensors[0].name = "w"; }), "two tensors are called 'w'");
    EXPECT_EQ(problem_after([](Cascade& c) { c.einsums[0].name = "scores"; }), "two einsums are called 'scores'");
    EXPECT_EQ(problem_after([](Cascade& c) { c.einsums.clear(); }), "a cascade needs at least one einsum");
    EXPECT_EQ(problem_after([](Cascade& c) { c.tensors[2].role = TensorRole::input; }),
              "input 'q' is written; inputs and weights are only read");
    EXPECT_EQ(problem_after([](Cascade& c) { c.tensors[0].role = TensorRole::intermediate; }),
              "intermediate 'x' is written by no einsum");
    EXPECT_EQ(problem_after([](Cascade& c) { c.tensors[4].role = TensorRole::intermediate; }),
              "intermediate 's' is read by no einsum");
    EXPECT_EQ(problem_after([](Cascade& c) { c.tensors[2].readers.clear(); }),
              "tensor 'q' lists other uses than the einsums have");
    EXPECT_EQ(problem_after([](Cascade& c) { c.tensors[2].shape[1] = 9; }),
              "of the 54 words of tensor 'q' only 48 are written");
    EXPECT_EQ(problem_after([](Cascade& c) { c.tensors[2].bits = 8; }),
              "operand 'q' of einsum 'query' has words of 0 bits, tensor 'q' of 8");
    EXPECT_EQ(problem_after([](Cascade& c) { c.einsums[1].accesses[1].coordinates.pop_back(); }),
              "operand 'k' of einsum 'scores' has 2 coordinates, tensor 'k' has 3 axes");
    EXPECT_EQ(problem_after([](Cascade& c) { c.einsums[1].accesses[0].coordinates[0].offset = 6; }),
              "einsum 'scores' reads outside tensor 'q'");
    EXPECT_EQ(problem_after([](Cascade& c) { c.einsums[1].accesses.pop_back(); }),
              "einsum 'scores' has 3 operands and 2 accesses");
    EXPECT_EQ(problem_after([](Cascade& c) { c.tensors[0].carried_from = 4; }),
              "tensor 'x' is carried from 's', which has another shape");
    EXPECT_EQ(problem_after([](Cascade& c) { c.blocks[0].count = 0; }),
              "block 'block' runs 0 times; expected 1 or more");
    EXPECT_EQ(problem_after([](Cascade& c) { c.blocks.push_back({"more", 1, 2, 1}); }),
              "block 'more' is empty, overlaps another or ends behind the last einsum");
}

TEST(Cascade, ATensorIsReadAfterItIsWrittenAndWrittenOnce) {
    EXPECT_EQ(problem_after([](Cascade& c) {
                  std::swap(c.einsums[0], c.einsums[1]);
                  for (CascadeTensor& tensor : c.tensors)
                      for (auto* uses : {&tensor.writers, &tensor.readers})
                          for (TensorUse& use : *uses) use.einsum = 1 - use.einsum;
              }),
              "einsum 'scores' reads tensor 'q' before einsum 'query' writes it");
    EXPECT_EQ(problem_after([](Cascade& c) {
                  c.einsums.push_back(c.einsums[0]);
                  c.einsums.back().name = "again";
                  c.tensors[0].readers.push_back({2, 0});
                  c.tensors[1].readers.push_back({2, 1});
                  c.tensors[2].writers.push_back({2, 2});
              }),
              "tensor 'q' is written twice, by einsums 'query' and 'again'");
}

}  // namespace
}  // namespace tilewright::cascade_test
