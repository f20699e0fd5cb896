// Row statistics that are read unfinished: what a step takes in, what is corrected, and when none of it is.
#include "mapping/fused/unfinished.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "mapping/fused/text.hpp"
#include "model/fused/model.hpp"
#include "workload/cascade/text.hpp"

namespace tilewright::fused::unfinished_test {
namespace {

constexpr const char* kAttention =
    "scores: S[m,l] += Q[m,e] * K[l,e];"
    "statistics: online top[m], total[m] += softmax(S[m,l]);"
    "exponentials: P[m,l] = exp(S[m,l] - top[m]) / total[m];"
    "mix: O[m,f] += P[m,l] * V[l,f];";

Cascade attention(const std::string& text = kAttention) {
    return parse_cascade(text, {{"m", 4}, {"l", 12}, {"e", 3}, {"f", 3}});
}

/// DRAM and a buffer around one unit; a word costs 100 and 1 pJ, an operation 10. The buffer moves a word in a cycle.
Architecture two_levels() {
    Architecture architecture;
    architecture.name = "two levels";
    for (const char* name : {"DRAM", "Buffer"}) {
        Memory memory;
        memory.name = name;
        const double scale = architecture.memories.empty() ? 100.0 : 1.0;
        memory.energy.read_pj = memory.energy.fill_pj = memory.energy.update_pj = {scale, "test"};
        architecture.memories.push_back(memory);
    }
    architecture.memories[0].is_dram = true;
    architecture.memories[1].shared_words_per_cycle = 1.0;
    architecture.compute.energy_pj = {10.0, "test"};
    return architecture;
}

struct Places {
    std::string outside = "top, total, O, Q";  ///< what is stored in the buffer outside the loop over l
    std::string inside = "S, P, K, V";         ///< ... and inside it
    std::string loop = "for l by 4";
};

std::string steps(const std::string& dimensions) {
    std::string text;
    for (const char one : dimensions) text += std::string("              for ") + one + " by 1\n";
    return text;
}

std::string tree(const Places& places) {
    return "store DRAM: Q, K, V, O\n"
           "  for m by 2\n"
           "    store Buffer: " +
           places.outside +
           "\n"
           "      " +
           places.loop +
           "\n"
           "        store Buffer: " +
           places.inside +
           "\n"
           "          split\n"
           "            leaf scores\n" +
           steps("mle") + "            leaf statistics\n" + steps("ml") + "            leaf exponentials\n" +
           steps("ml") + "            leaf mix\n" + steps("mlf");
}

FusedMapping mapping_of(const std::string& text, const Cascade& cascade) {
    return parse_fused_mapping(text, cascade, two_levels()).mapping;
}

Evaluation evaluated(const std::string& text, const Cascade& cascade = attention()) {
    const Answer answer = evaluate(cascade, two_levels(), mapping_of(text, cascade));
    EXPECT_TRUE(answer.evaluation) << (answer.violations.empty() ? "" : answer.violations.front().message);
    return answer.evaluation.value();
}

bool any_unfinished(const std::string& text, const Cascade& cascade = attention()) {
    const FusedMapping mapping = mapping_of(text, cascade);
    return !all_read_unfinished(cascade, FusedTree(cascade, mapping)).empty();
}

std::int64_t operations_of(const Evaluation& evaluation, std::size_t leaf) {
    return evaluation.leaves[leaf].operations;
}

const TensorCost& buffer_of(const Evaluation& evaluation, const char* tensor) {
    return evaluation.memories[1].tensors[find_tensor(attention(), tensor)];
}

std::int64_t scores_tile(const Evaluation& evaluation) {
    const auto store = std::ranges::find(evaluation.stores, find_tensor(attention(), "S"), &StoreCost::tensor);
    return store == evaluation.stores.end() ? -1 : store->tile_words;
}

TEST(Unfinished, TheExampleOfTheDocument) {
    const Evaluation evaluation = evaluated(tree({}));
    EXPECT_EQ(operations_of(evaluation, 0), 4 * 12 * 3);
    EXPECT_EQ(operations_of(evaluation, 1), 4 * 12);
    EXPECT_EQ(operations_of(evaluation, 2), 4 * 12);
    EXPECT_EQ(operations_of(evaluation, 3), 4 * 12 * 3);
    EXPECT_EQ(evaluation.correcting_operations, 2 * 2 * 2 * 3);
    EXPECT_EQ(evaluation.operations, 2 * 4 * 12 * 3 + 2 * 4 * 12 + 24);
    EXPECT_EQ(evaluation.recomputed_operations, 0);
    EXPECT_EQ(buffer_of(evaluation, "K").fills, 2 * 12 * 3);
    EXPECT_EQ(scores_tile(evaluation), 2 * 4);
}

// Each word of the sum takes a read, an update and an operation; the buffer is slower than the unit.
TEST(Unfinished, ACorrectionIsAReadAnUpdateAndAnOperation) {
    const Evaluation cut = evaluated(tree({}));
    const StoreCost* sum = nullptr;
    for (const StoreCost& store : cut.stores)
        if (store.words_corrected > 0.0) sum = &store;
    ASSERT_NE(sum, nullptr);
    EXPECT_EQ(sum->words_corrected, 24.0);
    // 12 words of O go to the DRAM: 12 * 100 and no more in the buffer, as much time as 12 words of an unlimited DRAM.
    EXPECT_EQ(sum->energy_pj, 12 * 100.0 + 24 * (1.0 + 1.0 + 10.0));
    EXPECT_EQ(sum->cycles, 2 * 24);
}

// One step over all of the row: nothing is unfinished.
TEST(Unfinished, WholeRowsNeedNoCorrection) {
    Places whole;
    whole.loop = "for l by 12";
    const Evaluation evaluation = evaluated(tree(whole));
    EXPECT_EQ(evaluation.correcting_operations, 0);
    EXPECT_EQ(operations_of(evaluation, 1), 4 * 12);
}

// Statistics that stand inside the loop are finished when they are read: the first step makes all of their rows.
TEST(Unfinished, StatisticsInsideTheLoopAreMadeWhole) {
    Places inside;
    inside.outside = "O, Q";
    inside.inside = "top, total, S, P, K, V";
    EXPECT_FALSE(any_unfinished(tree(inside)));
    const Evaluation evaluation = evaluated(tree(inside));
    EXPECT_EQ(operations_of(evaluation, 1), 4 * 12);
    EXPECT_EQ(scores_tile(evaluation), 2 * 12);
    EXPECT_EQ(evaluation.correcting_operations, 0);
}

// Weights that outlive a step would be those of old statistics.
TEST(Unfinished, WhatOutlivesAStepIsMadeOfFinishedStatistics) {
    Places outside;
    outside.outside = "top, total, O, Q, P";
    outside.inside = "S, K, V";
    EXPECT_TRUE(any_unfinished(tree({})));
    EXPECT_FALSE(any_unfinished(tree(outside)));
}

TEST(Unfinished, WhatIsNotDeclaredOnlineIsMadeWhole) {
    std::string text = kAttention;
    text.replace(text.find("online "), 7, "");
    const Cascade cascade = attention(text);
    EXPECT_FALSE(any_unfinished(tree({}), cascade));
    const Evaluation evaluation = evaluated(tree({}), cascade);
    EXPECT_EQ(evaluation.correcting_operations, 0);
}

}  // namespace
}  // namespace tilewright::fused::unfinished_test
