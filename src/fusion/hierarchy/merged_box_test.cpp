#include "fusion/hierarchy/merged_box.hpp"

#include <gtest/gtest.h>

#include "model/exact/model.hpp"
#include "workload/einsum_text.hpp"

namespace tilewright::fusion::merged_box_test {
namespace {

// Grouped queries by keys: b and h move all, g and m the queries and the scores, l the keys and the scores.
Einsum scores() {
    return parse_einsum("S[b,h,g,m,l] += Q[b,m,h,g,e] * K[b,h,l,e]",
                        {{"b", 2}, {"h", 6}, {"g", 4}, {"m", 1}, {"l", 8}, {"e", 9}});
}

Architecture machine() {
    Architecture architecture;
    architecture.memories.resize(2);
    architecture.memories[0].name = "DRAM";
    architecture.memories[0].energy.read_pj.value = 100.0;
    architecture.memories[0].energy.update_pj.value = 50.0;
    architecture.memories[1].name = "Buffer";
    architecture.memories[1].energy.read_pj.value = 2.0;
    architecture.memories[1].energy.fill_pj.value = 3.0;
    architecture.memories[1].energy.update_pj.value = 4.0;
    architecture.compute.energy_pj.value = 1.0;
    return architecture;
}

TEST(MergedBox, DimensionsThatMoveTheSameOperandsAreOne) {
    const MergedBox merged = merged_box(scores(), {});
    ASSERT_EQ(merged.einsum.dimension_count(), 4);  // b*h, g, l, e; m has one point
    std::int64_t points = 1;
    for (const Dimension& dimension : merged.einsum.dimensions) points *= dimension.extent;
    EXPECT_EQ(points, operation_count(scores()));
    EXPECT_EQ(merged.members[0].size(), 2U);
    EXPECT_EQ(merged.einsum.dimensions[0].extent, 12);
    for (int t = 0; t < 3; ++t) EXPECT_EQ(tensor_words(merged.einsum, t), tensor_words(scores(), t));
}

TEST(MergedBox, AMappingOfTheBoxItselfCostsTheSame) {
    const Einsum box = scores();
    const MergedBox merged = merged_box(box, {});
    const auto loop = [](int d, std::int64_t extent) { return Node{Loop{d, extent, extent}}; };
    // Factors 3 and 4 of b*h = 2 * 6: h 3, then b 2 and h 2.
    const Mapping mapping{{Store{0, TensorSet::all(3)}, loop(0, 3), loop(2, 2), loop(3, 3), Store{1, TensorSet::all(3)},
                           loop(3, 3), loop(0, 4), loop(1, 4), loop(2, 4)},
                          {}};
    const Mapping own = unmerged(mapping, merged, box);
    const Evaluation one = evaluate(merged.einsum, machine(), mapping);
    const Evaluation other = evaluate(box, machine(), own);
    EXPECT_DOUBLE_EQ(one.energy_pj, other.energy_pj);
    EXPECT_EQ(one.cycles, other.cycles);
    std::vector<std::int64_t> extents(box.dimensions.size(), 1);
    for (const Node& node : own.nodes)
        if (const Loop* l = std::get_if<Loop>(&node)) extents[l->dimension] *= l->extent;
    for (int d = 0; d < box.dimension_count(); ++d) EXPECT_EQ(extents[d], box.dimensions[d].extent) << d;
}

TEST(MergedBox, WhatDemandsTellApartStaysApart) {
    Constraints demands;
    demands.levels.resize(2);
    LoopConstraint& spatial = demands.levels[1].spatial;
    spatial.factors.resize(6);
    spatial.factors[0].at_most = 2;  // b, of which h knows nothing
    EXPECT_EQ(merged_box(scores(), demands).einsum.dimension_count(), 5);
    spatial.factors.clear();
    spatial.inner = {0, 2, 1};  // g lies between b and h
    EXPECT_EQ(merged_box(scores(), demands).einsum.dimension_count(), 5);
    spatial.inner = {0, 1};
    spatial.split = 1;  // one along X, one along Y
    EXPECT_EQ(merged_box(scores(), demands).einsum.dimension_count(), 5);
    spatial.split = 2;
    const MergedBox merged = merged_box(scores(), demands);
    EXPECT_EQ(merged.einsum.dimension_count(), 4);
    EXPECT_EQ(merged.demands.levels[1].spatial.split, 1);
    spatial.split = 4;  // which of the free ones go along X is not said
    EXPECT_EQ(merged_box(scores(), demands).einsum, scores());
}

// 3p + r, and an image's rows beside columns.
TEST(MergedBox, WindowsAndStridesStayAsTheyAre) {
    const Einsum filter = parse_einsum("O[p,q] += I[2p+r,3q] * W[r]", {{"p", 4}, {"q", 5}, {"r", 3}});
    EXPECT_EQ(merged_box(filter, {}).einsum, filter);
    const Einsum point = parse_einsum("O[p,q] += I[p+r,q] * W[r]", {{"p", 4}, {"q", 5}, {"r", 1}});
    EXPECT_EQ(merged_box(point, {}).einsum.dimension_count(), 1);
}

}  // namespace
}  // namespace tilewright::fusion::merged_box_test
