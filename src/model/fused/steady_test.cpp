#include "model/fused/steady.hpp"

#include <gtest/gtest.h>

#include <string>

#include "mapping/fused/text.hpp"
#include "model/fused/walk.hpp"
#include "workload/cascade/text.hpp"

namespace tilewright::fused::steady_test {
namespace {

Architecture two_memories() {
    Architecture machine;
    machine.memories.resize(2);
    machine.memories[0].name = "DRAM";
    machine.memories[1].name = "Buffer";
    return machine;
}

// Two filters of 3 x 3 on images of 40 x 36: `padding` words around them, steps of `stride` in the second.
Cascade filters(int padding, int stride) {
    const std::string shift = padding > 0 ? "-1" : "";
    const std::int64_t rows = padding > 0 ? 40 : 38;
    const std::int64_t columns = padding > 0 ? 36 : 34;
    const std::string by = stride > 1 ? std::to_string(stride) : "";
    const std::int64_t less = padding > 0 ? 0 : 2;
    return parse_cascade(
        "input A[2,40,36]; weight V, W; "
        "first: B[k,p,q] += A[c,p+r" +
            shift + ",q+s" + shift +
            "] * V[k,c,r,s];"
            "second: C[l,x,y] += B[d," +
            by + "x+i" + shift + "," + by + "y+j" + shift + "] * W[l,d,i,j];",
        {{"k", 3},
         {"c", 2},
         {"p", rows},
         {"q", columns},
         {"r", 3},
         {"s", 3},
         {"l", 2},
         {"d", 3},
         {"x", (rows - less) / stride},
         {"y", (columns - less) / stride},
         {"i", 3},
         {"j", 3}},
        "filters", "filters.cascade");
}

void expect_same(const Cascade& cascade, const std::string& text) {
    const FusedMapping mapping = parse_fused_mapping(text, cascade, two_memories()).mapping;
    const FusedTree tree(cascade, mapping);
    const WalkCounts known = walk_boxes(cascade, tree);
    const WalkCounts walked = walk_boxes(cascade, tree, nullptr, true);
    ASSERT_EQ(known.calls.size(), walked.calls.size()) << text;
    for (auto one = known.calls.begin(), other = walked.calls.begin(); one != known.calls.end(); ++one, ++other) {
        EXPECT_FALSE(one->first < other->first || other->first < one->first) << text;
        EXPECT_EQ(one->second, other->second) << text;
    }
    EXPECT_EQ(known.operations, walked.operations) << text;
    EXPECT_EQ(known.once_operations, walked.once_operations) << text;
    for (std::size_t i = 0; i < walked.stores.size(); ++i) {
        EXPECT_EQ(known.stores[i].words_in, walked.stores[i].words_in) << i << text;
        EXPECT_EQ(known.stores[i].words_back, walked.stores[i].words_back) << i << text;
        EXPECT_EQ(known.stores[i].words_out, walked.stores[i].words_out) << i << text;
        EXPECT_EQ(known.stores[i].tile_words, walked.stores[i].tile_words) << i << text;
        EXPECT_EQ(known.stores[i].survives, walked.stores[i].survives) << i << text;
    }
}

std::string tree(const std::string& outer, const std::string& between, const std::string& inner, int rows,
                 int columns) {
    return "store DRAM: A, V, W, C\n" + outer + "  for x by " + std::to_string(rows) + "\n" + between +
           "    for y by " + std::to_string(columns) + "\n" + inner +
           "       split\n        leaf first\n        leaf second\n";
}

// Every way to keep, steps that divide and that do not, borders on all sides, strides.
TEST(SteadySteps, CountWhatAWalkOfEveryStepCounts) {
    for (const int padding : {0, 1})
        for (const int stride : {1, 2}) {
            const Cascade cascade = filters(padding, stride);
            for (const auto& [rows, columns] : {std::pair{1, 1}, {2, 3}, {4, 5}, {7, 2}, {3, 40}, {18, 1}}) {
                expect_same(cascade, tree("", "", "     store Buffer: A, B\n", rows, columns));
                expect_same(cascade,
                            tree("", "", "     fresh store Buffer: B\n      store Buffer: A\n", rows, columns));
                expect_same(cascade, tree("", "   store Buffer: A, B\n", "     store Buffer: C\n", rows, columns));
                expect_same(cascade, tree("", "   store Buffer: B\n", "     store Buffer: A, C\n", rows, columns));
                expect_same(cascade, tree(" store Buffer: B, V\n", "   store Buffer: W\n", "     store Buffer: A\n",
                                          rows, columns));
                expect_same(cascade, tree(" store DRAM: B\n", "", "     store Buffer: B, A\n", rows, columns));
            }
        }
}

TEST(SteadySteps, SumsThatGoOnAreTold) {
    const Cascade cascade = parse_cascade(
        "input A; weight V, W; first: B[m,k] += A[m,e] * V[e,k];"
        "second: C[m,n] += B[m,d] * W[d,n];",
        {{"m", 6}, {"k", 12}, {"e", 2}, {"d", 12}, {"n", 5}}, "products", "products.cascade");
    for (const int step : {1, 2, 5}) {
        const std::string by = std::to_string(step);
        expect_same(cascade, "store DRAM: A, V, W, C\n store Buffer: C\n  for d by " + by +
                                 "\n   store Buffer: B, W\n    split\n     leaf first\n     leaf second\n");
        expect_same(cascade, "store DRAM: A, V, W, C\n for m by 1\n  store Buffer: C, A\n   for d by " + by +
                                 "\n    store Buffer: B\n     split\n      leaf first\n      leaf second\n");
    }
}

// The steps of a window of three words that moves by two rows: of 38 rows that are made the first two reach no border.
TEST(SteadySteps, LookWhereAStepMayTouch) {
    const Cascade cascade = filters(1, 1);
    const FusedMapping mapping =
        parse_fused_mapping(tree("", "", "     store Buffer: A, B\n", 2, 36), cascade, two_memories()).mapping;
    const FusedTree nodes(cascade, mapping);
    const std::optional<StepWindow> window =
        step_window(cascade, nodes, 1, {{0, 1}, {0, 1}, {0, 35}, {0, 2}, {0, 2}, {0, 2}});
    ASSERT_TRUE(window);
    int image = 0;
    while (cascade.tensors[image].name != "A") ++image;
    EXPECT_EQ(window->shift[image], (Place{0, 2, 0}));
    EXPECT_EQ((*window->around[image])[1], (Interval{-2, 3}));
    EXPECT_EQ(window->first, 1);
    EXPECT_EQ(window->last, 18);
    EXPECT_FALSE(window->sums);
}

}  // namespace
}  // namespace tilewright::fused::steady_test
