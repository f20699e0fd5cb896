// The zoo's machines after reading: sound, fully priced, and equal to the Timeloop baselines.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "arch/estimation/estimate.hpp"
#include "mapspace/mapspace.hpp"
#include "timeloop/files/load.hpp"
#include "timeloop/files/zoo.hpp"
#include "timeloop/machine/architecture.hpp"
#include "workload/shapes.hpp"

namespace tilewright::timeloop::zoo_machines_test {
namespace {

using testing::Not;

/// A layer whose every extent is more than 1.
Einsum layer() {
    return convolution({.batch = 4,
                        .in_channels = 64,
                        .out_channels = 96,
                        .width = {.positions = 28, .kernel = 3},
                        .height = {.positions = 14, .kernel = 5}});
}

TEST(ZooMachines, AreSoundAndPricedToTheLastNumber) {
    for (const std::string& name : zoo_architectures()) {
        Architecture machine = read_architecture(zoo_architecture(name));
        EXPECT_EQ(problem_with(machine), "") << name;
        estimate(machine);
        for (const Memory& memory : machine.memories) {
            for (const Sourced* number : {&memory.energy.read_pj, &memory.energy.fill_pj, &memory.energy.update_pj,
                                          &memory.energy.leak_pj_per_cycle, &memory.area_um2})
                EXPECT_THAT(number->source, Not(testing::IsEmpty())) << name << " " << memory.name;
            const bool is_free = name == "fused-npu" && memory.name == "register";  // as its file says
            EXPECT_EQ(memory.energy.read_pj.value > 0, !memory.spreads_only && !is_free) << name << " " << memory.name;
        }
        const bool in_memory = name == "neurram" || name == "tu-isscc-2022";  // operations are reads of cells
        EXPECT_EQ(machine.compute.energy_pj.value > 0.0, !in_memory) << name;
        EXPECT_GT(total_area_um2(machine), 0.0) << name;
    }
}

TEST(ZooMachines, ConstraintsHoldForEveryKindOfLayer) {
    for (const std::string& name : zoo_architectures()) {
        const yaml::Node root = zoo_architecture(name);
        const Architecture machine = read_architecture(root);
        for (const Einsum& einsum :
             {layer(), gemm(64, 128, 32), depthwise(32, 14, 3), batched_matmul(12, 64, 64, 64)}) {
            const Constraints constraints = read_constraints(root, machine, einsum);
            ASSERT_EQ(constraints.levels.size(), machine.memories.size()) << name;
            TensorSet kept;
            for (int i = 1; i < machine.memory_count(); ++i) {  // each tensor may stay on the chip
                const LevelConstraint& level = constraints.levels[i];
                EXPECT_EQ(level.must_keep.bits() & level.must_bypass.bits(), 0u) << name;
                EXPECT_EQ(machine.memories[i].spreads_only, level.must_bypass == TensorSet::all(einsum.tensor_count()));
                for (int tensor = 0; tensor < einsum.tensor_count(); ++tensor)
                    if (!level.must_bypass.has(tensor)) kept.add(tensor);
            }
            EXPECT_EQ(kept, TensorSet::all(einsum.tensor_count())) << name;
        }
    }
}

// "column: X K": permitted dimensions per fan-out axis, for layers with all eight dimensions.
std::string axes_of(const std::string& name) {
    const yaml::Node root = zoo_architecture(name);
    const Architecture machine = read_architecture(root);
    const Einsum einsum = convolution({.batch = 64,
                                       .groups = 64,
                                       .in_channels = 64,
                                       .out_channels = 64,
                                       .width = {.positions = 64, .kernel = 64},
                                       .height = {.positions = 64, .kernel = 64}});
    const Mapspace space(einsum, machine, read_constraints(root, machine, einsum));
    std::string text;
    for (int m = 0; m < machine.memory_count(); ++m)
        for (const bool along_y : {false, true}) {
            if ((along_y ? machine.fanout(m).y : machine.fanout(m).x) == 1) continue;
            text += (text.empty() ? "" : "; ") + std::string(along_y ? "Y " : "X ");
            for (const char* part : {"N", "G", "K", "C", "P", "Q", "R", "S"})
                if (space.may_spread(m, find_dimension(einsum, part), along_y)) text += part;
        }
    return text;
}

// The table of docs/timeloop-inputs.md. Neighbours of the array share inputs along a row and reduce along a column: no
// place for a second group.
TEST(ZooMachines, WhatMayLieAlongAnAxisIsWhatItsWiresShare) {
    EXPECT_EQ(axes_of("gemmini"), "X K; Y C");
    EXPECT_EQ(axes_of("tpu-like"), "X K; Y CRS");
    EXPECT_EQ(axes_of("tpu-v6e"), "X NGKCPQRS; X K; Y CRS");
    EXPECT_EQ(axes_of("nvdla-like"), "X K; Y C");
    EXPECT_EQ(axes_of("simple-weight-stationary"), "X K; Y C");
    EXPECT_EQ(axes_of("simple-output-stationary"), "X K; Y NPQ");
    EXPECT_EQ(axes_of("shidiannao-like"), "X Q; Y P");
    for (const std::string name : {"simba", "simba15"}) EXPECT_EQ(axes_of(name), "X GKC; Y K; Y C") << name;
    EXPECT_EQ(axes_of("eyeriss"), "X GKQ; Y GKCS");
    EXPECT_EQ(axes_of("eyeriss-chip"), "X GKQ; Y GKCQS");
    for (const std::string name : {"simba-cosa", "simba-cosa-large"})
        EXPECT_EQ(axes_of(name), "X NGKCPQRS; X NGKCPQRS; X NGKCPQRS") << name;
}

TEST(ZooMachines, TensorSetsAreWhatTheFilesSay) {
    const yaml::Node root = zoo_architecture("eyeriss");
    const Architecture machine = read_architecture(root);
    const Einsum einsum = layer();
    const Constraints constraints = read_constraints(root, machine, einsum);
    const int buffer = find_memory(machine, "shared_glb");
    EXPECT_TRUE(constraints.levels[buffer].must_bypass == TensorSet::of(find_tensor(einsum, "Weights")));
}

/// Fan-outs larger than 1, outermost first, as "x 14", "y 12".
std::vector<std::string> fanouts(const Architecture& machine) {
    std::vector<std::string> result;
    for (int i = 0; i < machine.memory_count(); ++i) {
        const Mesh fanout = machine.fanout(i);
        if (fanout.x > 1) result.push_back("x " + std::to_string(fanout.x));
        if (fanout.y > 1) result.push_back("y " + std::to_string(fanout.y));
    }
    return result;
}

/// Levels where a spatial constraint may act, outermost first.
std::vector<LoopConstraint> spatial_constraints(const Architecture& machine, const Constraints& constraints) {
    std::vector<LoopConstraint> result;
    for (int i = 0; i < machine.memory_count(); ++i)
        if (machine.fanout(i).size() > 1) result.push_back(constraints.levels[i].spatial);
    return result;
}

std::vector<Memory> storing(const Architecture& machine) {
    std::vector<Memory> result;
    for (const Memory& memory : machine.memories)
        if (!memory.spreads_only) result.push_back(memory);
    return result;
}

/// Dimensions of free order under a constraint: those with a factor.
std::vector<int> free_order(const LoopConstraint& constraint) {
    std::vector<int> result;
    for (const int dimension : constraint.inner)
        if (constraint.factors.empty() || constraint.factors[dimension].exactly != 1) result.push_back(dimension);
    return result;
}

bool forces_one(const LoopConstraint& constraint, int dimension) {
    return !constraint.factors.empty() && constraint.factors[dimension].exactly == 1;
}

void expect_same(const LoopConstraint& ours, const LoopConstraint& theirs, const Einsum& einsum,
                 const std::string& what) {
    for (int d = 0; d < einsum.dimension_count(); ++d)
        EXPECT_EQ(forces_one(ours, d), forces_one(theirs, d)) << what << " " << einsum.dimensions[d].name;
    EXPECT_EQ(free_order(ours), free_order(theirs)) << what;
}

void expect_same(const Memory& ours, const Memory& theirs) {
    SCOPED_TRACE(theirs.name);
    EXPECT_EQ(ours.name, theirs.name);
    EXPECT_EQ(ours.mesh, theirs.mesh);
    EXPECT_EQ(ours.capacity_words, theirs.capacity_words);
    EXPECT_EQ(ours.word_bits, theirs.word_bits);
    EXPECT_EQ(ours.block_words, theirs.block_words);
    EXPECT_EQ(ours.cluster_size, theirs.cluster_size);
    EXPECT_EQ(ours.read_words_per_cycle, theirs.read_words_per_cycle);
    EXPECT_EQ(ours.write_words_per_cycle, theirs.write_words_per_cycle);
    EXPECT_EQ(ours.shared_words_per_cycle, theirs.shared_words_per_cycle);
    EXPECT_EQ(ours.multiple_buffering, theirs.multiple_buffering);
    EXPECT_EQ(ours.is_dram, theirs.is_dram);
    EXPECT_EQ(ours.reduces, theirs.reduces);
    EXPECT_DOUBLE_EQ(ours.energy.read_pj.value, theirs.energy.read_pj.value);
    EXPECT_DOUBLE_EQ(ours.energy.fill_pj.value, theirs.energy.fill_pj.value);
    EXPECT_DOUBLE_EQ(ours.energy.update_pj.value, theirs.energy.update_pj.value);
    EXPECT_EQ(ours.energy.leak_pj_per_cycle.value, theirs.energy.leak_pj_per_cycle.value);
    EXPECT_EQ(ours.link.word_bits, theirs.link.word_bits);
    EXPECT_EQ(ours.link.wire_energy_pj_per_bit_mm, theirs.link.wire_energy_pj_per_bit_mm);
}

struct Baseline {
    std::string zoo;
    std::string run;  ///< folder of ../shared/golden/timeloop/mapper/inputs
};

class ZooBaselines : public testing::TestWithParam<Baseline> {
   protected:
    void SetUp() override {
        const std::filesystem::path folder = "../shared/golden/timeloop/mapper/inputs/" + GetParam().run;
        if (!std::filesystem::exists(folder)) GTEST_SKIP() << "needs " << folder;
        theirs_root_ = load({folder / "arch.yaml", folder / "mapspace.yaml"});
        theirs_ = read_architecture(theirs_root_);
        ours_root_ = zoo_architecture(GetParam().zoo);
        ours_ = read_architecture(ours_root_);
    }

    yaml::Node ours_root_, theirs_root_;
    Architecture ours_, theirs_;
};

TEST_P(ZooBaselines, HaveTheSameMemoriesAndUnits) {
    estimate(ours_);
    estimate(theirs_, Estimator::timeloop_pat);
    const std::vector<Memory> ours = storing(ours_);
    const std::vector<Memory> theirs = storing(theirs_);
    ASSERT_EQ(ours.size(), theirs.size());
    for (std::size_t i = 0; i < ours.size(); ++i) expect_same(ours[i], theirs[i]);
    EXPECT_EQ(fanouts(ours_), fanouts(theirs_));
    EXPECT_EQ(ours_.compute.mesh, theirs_.compute.mesh);
    EXPECT_EQ(ours_.compute.word_bits, theirs_.compute.word_bits);
    EXPECT_DOUBLE_EQ(ours_.compute.energy_pj.value, theirs_.compute.energy_pj.value);
    EXPECT_EQ(ours_.compute.leak_pj_per_cycle.value, 0.0);
    for (const Memory& memory : ours_.memories) EXPECT_FALSE(memory.link.wire_energy_pj_per_bit_mm) << memory.name;
}

TEST_P(ZooBaselines, AllowTheSameMappings) {
    const Einsum einsum = layer();
    const Constraints ours = read_constraints(ours_root_, ours_, einsum);
    const Constraints theirs = read_constraints(theirs_root_, theirs_, einsum);
    for (int i = 0; i < theirs_.memory_count(); ++i) {
        const Memory& memory = theirs_.memories[i];
        if (memory.spreads_only) continue;
        const LevelConstraint& our_level = ours.levels[find_memory(ours_, memory.name)];
        expect_same(our_level.temporal, theirs.levels[i].temporal, einsum, memory.name);
        EXPECT_EQ(our_level.must_bypass, theirs.levels[i].must_bypass) << memory.name;
    }
    const std::vector<LoopConstraint> our_spatial = spatial_constraints(ours_, ours);
    const std::vector<LoopConstraint> their_spatial = spatial_constraints(theirs_, theirs);
    ASSERT_EQ(our_spatial.size(), their_spatial.size());
    for (std::size_t i = 0; i < our_spatial.size(); ++i) {
        expect_same(our_spatial[i], their_spatial[i], einsum, "fan-out " + std::to_string(i));
        EXPECT_EQ(our_spatial[i].split, their_spatial[i].split) << "fan-out " << i;
    }
}

INSTANTIATE_TEST_SUITE_P(Timeloop, ZooBaselines,
                         testing::Values(Baseline{"eyeriss", "eyeriss_rs__resnet50_00__uber_random_pruned_vc500_edp"},
                                         Baseline{"simba15", "simba15__resnet50_00__uber_random_pruned_vc500_edp"},
                                         Baseline{"simba-cosa",
                                                  "simba_cosa__resnet50_00__uber_random_pruned_vc500_edp"}),
                         [](const testing::TestParamInfo<Baseline>& machine) {
                             std::string name = machine.param.zoo;
                             std::replace(name.begin(), name.end(), '-', '_');
                             return name;
                         });

}  // namespace
}  // namespace tilewright::timeloop::zoo_machines_test
