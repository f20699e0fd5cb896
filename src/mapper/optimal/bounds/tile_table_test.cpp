#include "mapper/optimal/bounds/tile_table.hpp"

#include <gtest/gtest.h>

#include "workload/shapes.hpp"

namespace tilewright::optimal::tile_table_test {
namespace {

constexpr int kTap = 0;
constexpr int kPosition = 2;
constexpr int kInputs = 1;

/// DRAM with blocks of so many words, 10 pJ each, and a buffer; all else is free.
Architecture machine(std::int64_t block_words) {
    Architecture a;
    a.memories.resize(2);
    a.memories[0].block_words = block_words;
    a.memories[0].energy.read_pj.value = 10.0;
    return a;
}

/// Lower bound for the inputs of a window of `taps` at so many positions; the buffer holds one window.
double least_pj(std::int64_t positions, std::int64_t taps) {
    Convolution shape;
    shape.width = {positions, taps, 1, 1};
    const Einsum einsum = convolution(shape);
    const Architecture architecture = machine(positions + taps - 1);
    const lean::Setup setup(einsum, architecture);
    const Mapspace mapspace(einsum, architecture, {});
    TilingPoint point = mapspace.first_point();
    for (int l = 0; l < 2; ++l) point[l].keep = TensorSet::all(3);
    const Charges charges(setup, point);
    const Lattice lattice(charges.rest(), charges.dimension_count());
    const TileTable tiles(mapspace, charges, lattice);
    return tiles.least_pj(kInputs, 1, lattice.after(0, kTap, taps));
}

// All words come once, in one block. Of 21 words at 19 positions, 21 / 19 * 19 in floating point exceeds 21 and would
// fill two blocks: the second-best mapping of a depthwise layer was called optimal.
TEST(TileTable, WordsOfASlidingWindowFillNoMoreBlocksThanTheyHaveTo) {
    for (std::int64_t positions = 2; positions <= 128; ++positions)
        for (std::int64_t taps = 2; taps <= 7; ++taps)
            EXPECT_DOUBLE_EQ(least_pj(positions, taps), 10.0) << positions << " positions, " << taps << " taps";
}

}  // namespace
}  // namespace tilewright::optimal::tile_table_test
