#include "model/fused/model.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fixtures/growing_concatenation.hpp"
#include "mapping/fused/text.hpp"
#include "mapping/fused/tree.hpp"
#include "oracle/fused.hpp"
#include "workload/cascade/builder.hpp"
#include "workload/einsum_text.hpp"

namespace tilewright::fused::fused_model_test {
namespace {

using testing::HasSubstr;

/// DRAM and a buffer of 64 words around one unit. A word read costs 100 and 1 pJ, a word written 200 and 2.
Architecture machine(std::int64_t capacity = 64) {
    Architecture architecture;
    architecture.name = "two levels";
    for (const char* name : {"DRAM", "Buffer"}) {
        Memory memory;
        memory.name = name;
        const double scale = architecture.memories.empty() ? 100.0 : 1.0;
        memory.energy.read_pj = {scale, "test"};
        memory.energy.fill_pj = memory.energy.update_pj = {2.0 * scale, "test"};
        architecture.memories.push_back(memory);
    }
    architecture.memories[0].is_dram = true;
    architecture.memories[0].shared_words_per_cycle = 2.0;
    architecture.memories[1].capacity_words = capacity;
    architecture.compute.energy_pj = {10.0, "test"};
    return architecture;
}

/// Two filters of three words: A has 12 words, B 10, C 8.
Cascade filters() {
    return chain_cascade("filters", {{"first", parse_einsum("B[p] += A[p+r] * W1[r]", {{"p", 10}, {"r", 3}})},
                                     {"second", parse_einsum("C[q] += B[q+s] * W2[s]", {{"q", 8}, {"s", 3}})}});
}

constexpr const char* kLeaves =
    "leaf first\n                for p by 1\n                for r by 1\n"
    "              leaf second\n                for q by 1\n                for s by 1\n";

/// The example of docs/fusion.md; `kind` of the store of B, and how many outputs a step makes.
std::string text_of(const std::string& kind, int step) {
    const Cascade cascade = filters();
    const auto name = [&](int e, int operand) {
        return cascade.tensors[cascade.einsums[e].accesses[operand].tensor].name;
    };
    const std::string a = name(0, 0), w1 = name(0, 1), b = name(0, 2), w2 = name(1, 1), c = name(1, 2);
    return "store DRAM: " + a + ", " + w1 + ", " + w2 + ", " + c + "\n  store Buffer: " + w1 + ", " + w2 +
           "\n    for q by " + std::to_string(step) + "\n      store Buffer: " + a + ", " + c + "\n        " + kind +
           " Buffer: " + b + "\n          split\n              " + kLeaves;
}

Answer answer_of(const std::string& text, const Architecture& architecture = machine()) {
    const Cascade cascade = filters();
    return evaluate(cascade, architecture, parse_fused_mapping(text, cascade, architecture).mapping);
}

const StoreCost& store_of(const Evaluation& evaluation, const std::string& text, int einsum, int operand) {
    const Cascade cascade = filters();
    const Architecture architecture = machine();
    const FusedMapping mapping = parse_fused_mapping(text, cascade, architecture).mapping;
    const FusedTree tree(cascade, mapping);
    const int tensor = cascade.einsums[einsum].accesses[operand].tensor;
    for (const StoreCost& store : evaluation.stores)
        if (store.tensor == tensor && tree.store(store.store)->memory == 1) return store;
    throw std::logic_error("no such store");
}

TEST(FusedModel, TheExampleOfTheDocument) {
    const std::string text = text_of("store", 2);
    const Answer answer = answer_of(text);
    ASSERT_TRUE(answer.evaluation) << answer.violations.front().message;
    const Evaluation& evaluation = *answer.evaluation;
    EXPECT_EQ(store_of(evaluation, text, 0, 0).words_in, 12.0);  // 6 + 2 + 2 + 2
    EXPECT_EQ(store_of(evaluation, text, 0, 0).tile_words, 6);
    EXPECT_EQ(store_of(evaluation, text, 0, 2).tile_words, 4);
    EXPECT_TRUE(store_of(evaluation, text, 0, 2).throughout);
    EXPECT_EQ(store_of(evaluation, text, 1, 2).words_out, 8.0);
    EXPECT_FALSE(store_of(evaluation, text, 1, 2).throughout);
    EXPECT_EQ(evaluation.operations, 10 * 3 + 8 * 3);
    EXPECT_EQ(evaluation.recomputed_operations, 0);
    EXPECT_EQ(evaluation.leaves[0].calls, 4);
    EXPECT_EQ(evaluation.leaves[0].sizes, 2);  // four words of B, then two
    EXPECT_EQ(evaluation.memories[1].peak_words, 3 + 3 + 6 + 4 + 2);
    // DRAM: 18 words out, 8 in. Buffer: 18 filled; the leaves read 54 + 54 operands and 20 + 16 partial sums, and
    // write 54.
    EXPECT_EQ(evaluation.memories[0].energy_pj, 18 * 100.0 + 8 * 200.0);
    EXPECT_EQ(evaluation.memories[1].energy_pj, 18 * 2.0 + (108 + 36) * 1.0 + 54 * 2.0);
    EXPECT_EQ(evaluation.energy_pj, 3400.0 + 288.0 + 540.0);
    // One operation a cycle; DRAM moves two words: 6 for A, 2 and 2 for the weights, 4 for C.
    EXPECT_EQ(evaluation.cycles, 54 + 6 + 2 + 2 + 4);
}

// A table of embeddings is such a tensor: it has no store, and costs nothing.
TEST(FusedModel, ATensorThatNoEinsumUsesChangesNothing) {
    const Cascade cascade = filters();
    Cascade more = cascade;
    more.tensors.push_back({"table", TensorRole::weight, {100, 7}});
    const std::string text = text_of("store", 2);
    const auto costs = [&](const Cascade& one) {
        return evaluate(one, machine(), parse_fused_mapping(text, one, machine(), "m.fused").mapping).evaluation;
    };
    ASSERT_TRUE(costs(cascade) && costs(more));
    EXPECT_EQ(costs(more)->energy_pj, costs(cascade)->energy_pj);
    EXPECT_EQ(costs(more)->cycles, costs(cascade)->cycles);
}

TEST(FusedModel, AFreshStoreMakesTheOverlapAgain) {
    const Answer answer = answer_of(text_of("fresh store", 2));
    ASSERT_TRUE(answer.evaluation);
    EXPECT_EQ(answer.evaluation->operations, 4 * 4 * 3 + 24);
    EXPECT_EQ(answer.evaluation->recomputed_operations, 6 * 3);
    EXPECT_EQ(answer.evaluation->leaves[0].sizes, 1);
}

// A concatenation that grows (DenseNet): `second` reads the half of T that is there and writes the other.
TEST(FusedModel, APartOfATensorMayBeReadBeforeTheRestIsWritten) {
    const Cascade cascade = fixtures::growing_concatenation();
    const auto dram_words = [&](const std::string& text) {
        const FusedMapping mapping = parse_fused_mapping(text, cascade, machine()).mapping;
        const Answer answer = evaluate(cascade, machine(), mapping);
        const oracle::FusedCounts walked = oracle::walk_fused(cascade, machine(), mapping);
        EXPECT_TRUE(walked.complete);
        double ours = 0.0, theirs = 0.0;
        for (const TensorCost& cost : answer.evaluation.value().memories[0].tensors) ours += cost.words();
        for (const oracle::Traffic& one : walked.memories[0]) theirs += one.reads + one.fills + one.updates;
        EXPECT_EQ(ours, theirs);
        return ours;
    };
    const auto leaf = [](const std::string& indent, const std::string& name, const std::string& loops) {
        std::string text = indent + "leaf " + name + "\n";
        for (const char loop : loops) text += indent + "  for " + loop + " by 1\n";
        return text;
    };
    // Each word is wanted by one step only where all loops but the innermost stand outside.
    const std::string in_order = leaf("        ", "first", "cpe") + leaf("        ", "squeeze", "kpc") +
                                 leaf("        ", "second", "kpc") + leaf("        ", "third", "dpc");
    const double once = 8 + (4 + 4 + 4 + 16) + 16;  // X, the weights and Y
    EXPECT_EQ(dram_words("store DRAM: X, u, q, v, w, Y\n"
                         "  store Buffer: X, S, T, Y, u, q, v, w\n"
                         "      split\n" +
                         in_order),
              once);
    EXPECT_EQ(dram_words("store DRAM: X, S, T, Y, u, q, v, w\n"
                         "  store Buffer: X, S, Y, u, q, v, w\n"
                         "      split\n" +
                         in_order),
              once + 8 + 32 + (8 + 8 + 16 + 64))
        << "S goes out; sums of T go there twice and come back once; squeeze and third read a word an operation";
}

TEST(FusedModel, AStoreOutsideTheLoopHoldsAllOfIt) {
    const std::string text = text_of("store", 8);
    const Answer answer = answer_of(text);
    ASSERT_TRUE(answer.evaluation);
    EXPECT_EQ(store_of(*answer.evaluation, text, 0, 2).tile_words, 10);
    EXPECT_EQ(answer.evaluation->leaves[0].calls, 1);
    EXPECT_EQ(answer.evaluation->operations, 54);
}

TEST(FusedModel, ABufferThatIsTooSmallIsToldAtItsLeaf) {
    EXPECT_TRUE(answer_of(text_of("store", 2), machine(18)).evaluation);
    const Answer answer = answer_of(text_of("store", 2), machine(17));
    ASSERT_EQ(answer.violations.size(), 1U);
    EXPECT_FALSE(answer.evaluation);
    EXPECT_THAT(answer.violations[0].message,
                HasSubstr("Buffer holds 18 words while 'second' runs, 1 more than its 17"));
    EXPECT_EQ(answer.violations[0].node, 7);
}

TEST(FusedModel, ALeafWithoutALegalMappingIsToldWithItsBox) {
    std::string text = text_of("store", 2);
    text.replace(text.find("for p by 1"), 10, "for p by 3");
    const Answer answer = answer_of(text);
    ASSERT_FALSE(answer.violations.empty());
    EXPECT_THAT(answer.violations[0].message, HasSubstr("leaf 'first' on a box p=2 r=3"));
    EXPECT_EQ(answer.violations[0].node, 6);
}

TEST(FusedModel, BoxesOfDifferentSizeMayHaveDifferentMappings) {
    std::string text = text_of("store", 2);
    const std::string plain = "for p by 1\n                for r by 1\n";
    text.replace(
        text.find(plain), plain.size(),
        "box p=4\n                for r by 1\n                for p by 1\n                box p=2\n                " +
            plain);
    const Answer answer = answer_of(text);
    ASSERT_TRUE(answer.evaluation) << answer.violations.front().message;
    EXPECT_EQ(answer.evaluation->operations, 54);
    text.erase(text.find("box p=2"));
    EXPECT_FALSE(text.empty());
}

TEST(FusedModel, StopsWhenAsked) {
    const Cascade cascade = filters();
    const Architecture architecture = machine();
    StopSource stop;
    stop.request();
    const FusedMapping mapping = parse_fused_mapping(text_of("store", 2), cascade, architecture).mapping;
    EXPECT_THROW(evaluate(cascade, architecture, mapping, &stop), Stopped);
}

}  // namespace
}  // namespace tilewright::fused::fused_model_test
