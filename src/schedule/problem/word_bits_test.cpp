// Bytes of tiles of various word widths: by hand, and with the machine's widths as without any.
#include "schedule/problem/machine.hpp"

#include <gtest/gtest.h>

#include "fixtures/schedule_problem.hpp"
#include "workload/shapes.hpp"

namespace tilewright::schedule {
namespace {

// 3 x 1 outputs of 5 channels by 4 input channels in two steps.
Problem two_steps() {
    Problem problem;
    problem.layer = {3, 1, 4, 5, 1, 1, 1, 1, 1, 1};
    problem.layer.bits = {8, 3, 8, 20};
    problem.tiling = {{3, 1, 2, 5}};
    return problem;
}

TEST(WordBits, PartialSumsAreWideAndStoresNarrow) {
    Problem problem = two_steps();
    const OperationGraph chains = make_graph(problem);
    const Tile& input = chains.tile(chains.tile_of(0, Operand::input));
    const Tile& weight = chains.tile(chains.tile_of(0, Operand::weight));
    const Tile& output = chains.tile(chains.tile_of(0, Operand::output));
    EXPECT_EQ(input.load_bytes, 6);
    EXPECT_EQ(weight.load_bytes, 4) << "2 * 5 words of 3 bits are 30 bits";
    EXPECT_EQ(output.block_bytes, 38) << "15 partial sums of 20 bits are 300 bits";
    EXPECT_EQ(output.store_bytes, 15);
    EXPECT_EQ(tile_shape(problem.layer, 3, 1, 2, 5).bits.output, 20);
    problem.tiling = {{3, 1, 4, 5}};
    const OperationGraph whole = make_graph(problem);
    EXPECT_EQ(whole.tile(whole.tile_of(0, Operand::output)).block_bytes, 15) << "there never is a partial sum";
    EXPECT_EQ(tile_shape(problem.layer, 3, 1, 4, 5).bits.output, 8);
}

TEST(WordBits, OfTheMachineAreAsNone) {
    Random random(3);
    int compared = 0;
    for (int i = 0; i < 300; ++i) {
        Problem problem = random_problem(random, 40);
        problem.layer.bits = {};
        Problem said = problem;
        said.layer.bits = word_bits(problem.machine, problem.layer);
        const OperationGraph one = make_graph(problem);
        const OperationGraph other = make_graph(said);
        for (int t = 0; t < one.tile_count(); ++t) {
            ASSERT_EQ(one.tile(t).block_bytes, other.tile(t).block_bytes);
            ASSERT_EQ(one.tile(t).load_bytes, other.tile(t).load_bytes);
            ASSERT_EQ(one.tile(t).store_bytes, other.tile(t).store_bytes);
            ++compared;
        }
    }
    EXPECT_GT(compared, 1000);
}

TEST(WordBits, AreTheTensorsAndElseTheMachines) {
    const MultiNpu machine;  // elements of one byte, partial sums of four
    Einsum einsum = conv2d(4, 4, 4, 3);
    EXPECT_FALSE(word_bits(machine, einsum, {}).given());
    einsum.tensors[find_tensor(einsum, "Weights")].bits = 4;
    EXPECT_EQ(word_bits(machine, einsum, {}), (WordBits{8, 4, 8, 32}));
    einsum.tensors[find_tensor(einsum, "Outputs")].bits = 64;
    EXPECT_EQ(word_bits(machine, einsum, {}), (WordBits{8, 4, 64, 64}));
    PartialBits partial(einsum.tensors.size(), 0);
    partial[find_tensor(einsum, "Outputs")] = 24;
    ConvLayer layer;
    layer.bits = word_bits(machine, einsum, partial);
    EXPECT_EQ(problem_with(layer), "a partial sum must not be smaller than an output");
}

}  // namespace
}  // namespace tilewright::schedule
