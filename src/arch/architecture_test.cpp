#include "arch/architecture.hpp"

#include <gtest/gtest.h>

namespace tilewright::architecture_test {
namespace {

/// DRAM over three buffers, each over a column of 4 units.
Architecture machine() {
    Architecture architecture;
    Memory dram;
    dram.name = "DRAM";
    dram.is_dram = true;
    Memory buffer;
    buffer.name = "buffer";
    buffer.capacity_words = 1001;
    buffer.instances = 3;
    buffer.mesh = {3, 1};
    architecture.memories = {dram, buffer};
    architecture.compute.instances = 12;
    architecture.compute.mesh = {3, 4};
    return architecture;
}

TEST(Architecture, TheFanoutFollowsFromTheMeshes) {
    const Architecture architecture = machine();
    EXPECT_EQ(architecture.fanout(0), (Mesh{3, 1}));
    EXPECT_EQ(architecture.fanout(1), (Mesh{1, 4}));
    EXPECT_EQ(problem_with(architecture), "");
}

TEST(Architecture, MultipleBufferingRoundsDown) {
    Memory buffer = machine().memories[1];
    buffer.multiple_buffering = 2.0;
    EXPECT_EQ(buffer.usable_words(), 500);
    buffer.capacity_words.reset();
    EXPECT_EQ(buffer.usable_words(), std::nullopt);
}

TEST(Architecture, FindsMemoriesByName) {
    EXPECT_EQ(find_memory(machine(), "buffer"), 1);
    EXPECT_EQ(find_memory(machine(), "Buffer"), -1);
}

TEST(Architecture, AreaCountsEveryInstance) {
    Architecture architecture = machine();
    architecture.memories[1].area_um2 = {100.0, "given"};
    architecture.compute.area_um2 = {7.0, "given"};
    EXPECT_DOUBLE_EQ(total_area_um2(architecture), 3 * 100.0 + 12 * 7.0);
}

std::string problem_after(void (*change)(Architecture&)) {
    Architecture architecture = machine();
    change(architecture);
    return problem_with(architecture);
}

TEST(Architecture, SaysWhatIsWrong) {
    EXPECT_EQ(problem_after([](Architecture& a) { a.memories.clear(); }), "an architecture needs at least one memory");
    EXPECT_EQ(problem_after([](Architecture& a) { a.memories[1].name = "DRAM"; }), "two components are called 'DRAM'");
    EXPECT_EQ(problem_after([](Architecture& a) { a.memories[1].name = a.compute.name; }),
              "two components are called 'mac'");
    EXPECT_EQ(problem_after([](Architecture& a) { a.memories[1].instances = 0; }), "memory 'buffer' has no instances");
    EXPECT_EQ(problem_after([](Architecture& a) { a.memories[1].mesh = {2, 2}; }),
              "memory 'buffer': meshX * meshY = 4, but it has 3 instances");
    EXPECT_EQ(problem_after([](Architecture& a) {
                  a.memories[1].instances = 2;
                  a.memories[1].mesh = {2, 1};
              }),
              "the mesh inside memory 'buffer' (3 x 4) is not a multiple of its own (2 x 1)");
    EXPECT_EQ(problem_after([](Architecture& a) { a.memories[1].cluster_size = 2; }),
              "memory 'buffer': 3 instances do not divide into clusters of 2");
    EXPECT_EQ(problem_after([](Architecture& a) { a.memories[1].power_gated_at = "glb"; }),
              "memory 'buffer' is power-gated at 'glb', which does not exist");
    EXPECT_EQ(problem_after([](Architecture& a) { a.compute.instances = 0; }), "there are no compute units");
}

}  // namespace
}  // namespace tilewright::architecture_test
