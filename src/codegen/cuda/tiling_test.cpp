#include "codegen/cuda/tiling.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "base/error.hpp"
#include "codegen/cuda/kernel.hpp"
#include "workload/einsum_text.hpp"
#include "workload/shapes.hpp"

namespace tilewright::cuda::tiling_test {
namespace {

using testing::HasSubstr;

// Dimensions of a layer, by index.
constexpr int kInner = 4;    // C
constexpr int kColumns = 5;  // K
constexpr int kRows = 6;     // N

/// Four blocks of 64 threads: device memory, shared memory, registers, without spread-only levels.
Architecture machine() {
    Architecture machine;
    machine.name = "gpu";
    for (const char* name : {"DRAM", "shared", "registers"}) {
        Memory memory;
        memory.name = name;
        memory.word_bits = 32;
        machine.memories.push_back(memory);
    }
    machine.memories[1].capacity_words = 1024;
    machine.memories[1].mesh = {4, 1};
    machine.memories[1].instances = 4;
    machine.memories[2].mesh = {256, 1};
    machine.memories[2].instances = 256;
    machine.compute.mesh = {256, 1};
    machine.compute.instances = 256;
    return machine;
}

struct Sample {
    Einsum einsum = gemm(8, 6, 5);
    std::vector<MappingLevel> levels = std::vector<MappingLevel>(3);

    Sample() {
        levels[0] = {TensorSet::all(3), {loop(kInner, 3)}, {loop(kColumns, 3, LoopKind::spatial_x)}};
        levels[1] = {TensorSet::all(3), {loop(kInner, 2)}, {loop(kRows, 4, LoopKind::spatial_x)}};
        levels[1].keep.remove(written());
        levels[2] = {TensorSet::all(3), {loop(kColumns, 2), loop(kRows, 2)}, {}};
    }
    static Loop loop(int dimension, std::int64_t extent, LoopKind kind = LoopKind::temporal) {
        return {dimension, extent, extent, kind};
    }
    int written() const { return find_tensor(einsum, "Outputs"); }
    Mapping mapping() const {
        Mapping mapping = mapping_of(levels);
        restore_remainders(mapping, einsum);
        return mapping;
    }
    Tiling tiling() const { return tiling_of(einsum, machine(), mapping()); }
};

std::string refusal(const std::function<void()>& attempt) {
    try {
        attempt();
    } catch (const InputError& error) {
        EXPECT_EQ(error.code(), ErrorCode::unsupported);
        return error.message();
    }
    return "";
}

TEST(Tiling, LoopsGetTheirRoleFromTheMemoryAroundThem) {
    const Tiling tiling = Sample().tiling();
    ASSERT_EQ(tiling.loops.size(), 6U);
    const std::vector<Role> roles{Role::tile, Role::block, Role::step, Role::thread, Role::point, Role::point};
    const std::vector<std::int64_t> strides{2, 2, 1, 2, 1, 1};
    for (std::size_t i = 0; i < roles.size(); ++i) {
        EXPECT_EQ(tiling.loops[i].role, roles[i]) << i;
        EXPECT_EQ(tiling.loops[i].stride, strides[i]) << i;
    }
}

TEST(Tiling, KnowsWhatLeavesARemainder) {
    const Sample sample;
    const Tiling tiling = sample.tiling();
    EXPECT_TRUE(tiling.imperfect[find_dimension(sample.einsum, "K")]);
    EXPECT_FALSE(tiling.imperfect[find_dimension(sample.einsum, "N")]);
    EXPECT_FALSE(tiling.imperfect[find_dimension(sample.einsum, "C")]);
}

TEST(Tiling, LoopsEndWithTheirDimension) {
    Sample longer;
    longer.levels[2].temporal = {Sample::loop(kColumns, 16), Sample::loop(kRows, 2)};
    longer.levels[0].spatial.clear();
    const Tiling tiling = longer.tiling();
    EXPECT_EQ(tiling.loops[3].extent, 5) << "K = 5 in one loop of 16, which runs 5 times";
    EXPECT_EQ(tiling.thread_box[kColumns], 5);
}

TEST(Tiling, SharedMemoryIsWhatTheModelCounts) {
    const Sample sample;
    const Kernel kernel = make_kernel(sample.einsum, machine(), sample.mapping(), "product");
    const Extents tile = store_extents(sample.einsum, sample.mapping())[1];
    std::int64_t words = 0;
    for (int t = 0; t < 3; ++t)
        if (t != sample.written()) words += box_words(sample.einsum.tensors[t], tile);
    EXPECT_EQ(kernel.launch, (Launch{{3, 1, 1}, {4, 1, 1}, 4 * words, 2 + 2 + 4}));
}

TEST(Tiling, RefusesMachinesThatAreNoGpu) {
    Architecture two = machine();
    two.memories.erase(two.memories.begin());
    EXPECT_THAT(refusal([&] { tiling_of(Sample().einsum, two, Sample().mapping()); }),
                HasSubstr("'gpu' has 2 memories (shared and registers), a GPU three"));
    Architecture narrow = machine();
    narrow.memories[1].word_bits = 16;
    EXPECT_THAT(refusal([&] { tiling_of(Sample().einsum, narrow, Sample().mapping()); }),
                HasSubstr("'shared' has words of 16 bits"));
}

TEST(Tiling, RefusesSumsThatLeaveTheirThread) {
    Sample spread;
    spread.levels[1].spatial.push_back(Sample::loop(kInner, 2, LoopKind::spatial_x));
    spread.levels[1].temporal.clear();
    EXPECT_THAT(refusal([&] { spread.tiling(); }), HasSubstr("over C at shared would spread a sum over threads"));
    Sample shared;
    shared.levels[1].keep.add(shared.written());
    EXPECT_THAT(refusal([&] { shared.tiling(); }), HasSubstr("'shared' keeps 'Outputs'"));
    Sample nowhere;
    nowhere.levels[2].keep.remove(nowhere.written());
    EXPECT_THAT(refusal([&] { nowhere.tiling(); }), HasSubstr("'registers' does not keep 'Outputs'"));
}

TEST(Tiling, RefusesResultsThatSeveralThreadsAddTo) {
    const Einsum scatter = parse_einsum("O[p+r] += I[p] * W[r]", {{"p", 4}, {"r", 3}});
    std::vector<MappingLevel> levels(3);
    for (MappingLevel& level : levels) level.keep = TensorSet::all(3);
    levels[1].keep.remove(2);
    levels[2].temporal = {{0, 4, 4, LoopKind::temporal}, {1, 3, 3, LoopKind::temporal}};
    EXPECT_THAT(refusal([&] { tiling_of(scatter, machine(), mapping_of(levels)); }),
                HasSubstr("not addressed by one dimension per rank"));
}

TEST(Tiling, RefusesNegativeCoefficients) {
    const Einsum backwards = parse_einsum("O[p] += I[p-r] * W[r]", {{"p", 4}, {"r", 3}});
    std::vector<MappingLevel> levels(3);
    for (MappingLevel& level : levels) level.keep = TensorSet::all(3);
    levels[1].keep.remove(2);
    levels[2].temporal = {{0, 4, 4, LoopKind::temporal}, {1, 3, 3, LoopKind::temporal}};
    EXPECT_THAT(refusal([&] { tiling_of(backwards, machine(), mapping_of(levels)); }),
                HasSubstr("addressed backwards"));
}

}  // namespace
}  // namespace tilewright::cuda::tiling_test
