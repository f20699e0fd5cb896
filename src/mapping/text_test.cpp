#include "mapping/text.hpp"

#include <gtest/gtest.h>

namespace tilewright::text_test {
namespace {

TEST(LoopNestText, ShowsTilesLoopsAndRemainders) {
    const Einsum einsum{"matmul",
                        {{"M", 7}, {"K", 6}},
                        {{"A", {Rank{{{0, 1}}}, Rank{{{1, 1}}}}, false}, {"Z", {Rank{{{0, 1}}}}, true}}};
    Architecture architecture;
    architecture.memories.resize(2);
    architecture.memories[0].name = "DRAM";
    architecture.memories[1].name = "Buffer";
    Mapping mapping;
    mapping.nodes = {Store{0, TensorSet::all(2)},       Loop{0, 4, 4, LoopKind::temporal},
                     Loop{1, 1, 1, LoopKind::temporal}, Loop{1, 3, 3, LoopKind::spatial_y},
                     Store{1, TensorSet::of(1)},        Loop{0, 2, 1, LoopKind::temporal},
                     Loop{1, 2, 2, LoopKind::spatial_x}};
    EXPECT_EQ(loop_nest_text(einsum, architecture, mapping),
              "DRAM [ A:42 Z:7 ]\n"
              "-----------------\n"
              "| for M in [0:4)\n"
              "|   for K in [0:3) (Spatial-Y)\n"
              "\n"
              "Buffer [ Z:2 ]\n"
              "--------------\n"
              "|     for M in [0:2,1)\n"
              "|       for K in [0:2) (Spatial-X)\n"
              "|         << Compute >>\n");
}

}  // namespace
}  // namespace tilewright::text_test
