#include "fusion/machine/machine.hpp"

#include <gtest/gtest.h>

#include "arch/widths.hpp"
#include "fixtures/fused_bottleneck.hpp"
#include "fusion/hierarchy/shared_buffer.hpp"

namespace tilewright::fusion::machine_test {
namespace {

// What the cost model says of a row and of bandwidth.
TEST(FusionMachines, AWordTakesWhatItTakesOfItsMemory) {
    Architecture architecture = fixtures::three_levels(64, 4);
    for (const std::int64_t row : {1, 2, 5}) {
        Memory& memory = architecture.memories[kDram];
        memory.block_words = row;
        memory.energy.read_pj.value = 30.0;
        const MemoryPort port = machine_around(architecture).dram;
        for (std::int64_t bits = 0; bits < 200; ++bits) {
            const Tensor tensor{"A", {}, false, bits};
            EXPECT_NEAR(port.read_pj * port.share_of(bits).energy, 30.0 / words_per_access(tensor, memory), 1e-9)
                << bits;
            EXPECT_NEAR(port.share_of(bits).bandwidth, bandwidth_share(tensor, memory), 1e-12) << bits;
        }
        // 7 words of 5 bits in rows of 1, 2 and 5 words of 16: three, six and sixteen in a row.
        EXPECT_EQ(port.read_pj * port.accessed(7.0, 5), 30.0 * (row == 1 ? 3 : row == 2 ? 2 : 1));
        EXPECT_EQ(port.accessed(7.0, 0), 7.0);
    }
}

TEST(FusionMachines, RoomIsInUnitsOfWhichAllWordsAreMultiples) {
    Cascade cascade = fixtures::bottleneck(4, 8);
    const Machine words = machine_around(fixtures::three_levels(64, 4));
    EXPECT_EQ(in_units(words, cascade).capacity, 64);
    EXPECT_EQ(in_units(words, cascade).units_of(0), 1);
    cascade.tensors[0].bits = 12;
    cascade.tensors[1].bits = 24;
    const Machine units = in_units(words, cascade);
    EXPECT_EQ(units.capacity, 64 * 4);
    EXPECT_EQ(units.units_of(12), 3);
    EXPECT_EQ(units.units_of(24), 6);
    EXPECT_EQ(units.units_of(0), 4);
}

}  // namespace
}  // namespace tilewright::fusion::machine_test
