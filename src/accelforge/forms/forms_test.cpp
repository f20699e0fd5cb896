#include <gtest/gtest.h>

#include "accelforge/account/evaluate.hpp"
#include "accelforge/files/load.hpp"
#include "accelforge/files/mapping.hpp"
#include "accelforge/files/workload.hpp"
#include "accelforge/forms/as_ours.hpp"
#include "accelforge/forms/write.hpp"
#include "workload/einsum_text.hpp"

namespace tilewright::accelforge {
namespace {

const yaml::Node& example() {
    static const yaml::Node root = load(
        {"examples/accelforge/machine.yaml", "examples/accelforge/workload.yaml", "examples/accelforge/mapping.yaml"});
    return root;
}

TEST(AccelForgeForms, TheExampleCostsWhatItsDocumentSays) {
    const Costs costs = evaluate(
        read_workload(example()), [](const EinsumSpec& einsum) { return read_machine(example(), einsum); },
        read_mapping(example()));
    EXPECT_NEAR(costs.energy_j, 14.0032e-9, 1e-15);
    EXPECT_NEAR(costs.latency_s, 384e-9, 1e-18);
    EXPECT_EQ(costs.memories[1].bits, 896.0);
}

TEST(AccelForgeForms, AMachineIsOneOfOurs) {
    const Workload workload = read_workload(example());
    Notes notes;
    const Architecture ours = architecture_of(example(), typical_einsum(workload), "machine", {}, notes);
    ASSERT_EQ(ours.memory_count(), 2);
    EXPECT_FALSE(ours.memories[0].capacity_words);
    EXPECT_EQ(ours.memories[1].capacity_words, 1024);
    EXPECT_DOUBLE_EQ(ours.cycle_seconds, 1e-9);
    EXPECT_DOUBLE_EQ(ours.memories[0].energy.read_pj.value, 32.0);
    EXPECT_DOUBLE_EQ(*ours.memories[0].shared_words_per_cycle, 8.0);  // one port: its latency is a sum
    EXPECT_DOUBLE_EQ(*ours.memories[1].read_words_per_cycle, 32.0);   // two: its latency is the larger
    EXPECT_DOUBLE_EQ(*ours.memories[1].write_words_per_cycle, 16.0);
    EXPECT_DOUBLE_EQ(ours.memories[1].energy.leak_pj_per_cycle.value, 1.0);
    EXPECT_EQ(ours.compute.instances, 4);
    EXPECT_TRUE(notes.empty()) << notes.texts().front();
}

TEST(AccelForgeForms, WhatAMachineDemandsIsAConstraint) {
    const Workload workload = read_workload(example());
    Notes notes;
    const Architecture ours = architecture_of(example(), typical_einsum(workload), "machine", {}, notes);
    const Einsum product = parse_einsum("Outputs[m,n] += Inputs[m,k] * Weights[k,n]", {{"m", 4}, {"n", 4}, {"k", 4}});
    const Constraints given = constraints_of(example(), ours, product, 8);
    ASSERT_EQ(given.levels.size(), 2U);
    EXPECT_EQ(given.levels[1].must_keep, TensorSet::all(3));
    ASSERT_EQ(given.levels[1].spatial.factors.size(), 3U);
    EXPECT_EQ(given.levels[1].spatial.factors[static_cast<std::size_t>(find_dimension(product, "m"))].at_most, 1);
    EXPECT_EQ(given.levels[1].spatial.factors[static_cast<std::size_t>(find_dimension(product, "k"))].at_most, 4);
}

TEST(AccelForgeForms, AWorkloadIsACascadeAndComesBackFromItsText) {
    Notes notes;
    const Cascade cascade = cascade_of(read_workload(example()), "two", notes);
    EXPECT_EQ(problem_with(cascade), "");
    ASSERT_EQ(cascade.einsum_count(), 2);
    EXPECT_EQ(cascade.einsums[0].kind, EinsumKind::contraction);
    EXPECT_EQ(cascade.tensors[static_cast<std::size_t>(find_tensor(cascade, "T"))].role, TensorRole::intermediate);
    EXPECT_EQ(cascade.tensors[static_cast<std::size_t>(find_tensor(cascade, "V"))].role, TensorRole::weight);
    EXPECT_EQ(cascade.tensors[static_cast<std::size_t>(find_tensor(cascade, "Z"))].role, TensorRole::output);
    const Cascade again = cascade_of(read_workload(load_text(workload_text(cascade, 8))), "two", notes);
    ASSERT_EQ(again.einsum_count(), 2);
    for (std::size_t i = 0; i < 2; ++i) {
        EXPECT_EQ(again.einsums[i].einsum, cascade.einsums[i].einsum);
        EXPECT_EQ(again.einsums[i].accesses, cascade.einsums[i].accesses);
    }
}

TEST(AccelForgeForms, AMachineComesBackFromItsText) {
    const Workload workload = read_workload(example());
    Notes notes;
    const Architecture ours = architecture_of(example(), typical_einsum(workload), "machine", {}, notes);
    const Architecture again =
        architecture_of(load_text(machine_text(ours, notes)), typical_einsum(workload), "machine", {}, notes);
    ASSERT_EQ(again.memory_count(), 2);
    EXPECT_EQ(again.compute.mesh, ours.compute.mesh);
    EXPECT_DOUBLE_EQ(again.compute.energy_pj.value, ours.compute.energy_pj.value);
    for (std::size_t m = 0; m < 2; ++m) {
        EXPECT_EQ(again.memories[m].capacity_words, ours.memories[m].capacity_words);
        EXPECT_DOUBLE_EQ(again.memories[m].energy.fill_pj.value, ours.memories[m].energy.fill_pj.value);
        EXPECT_EQ(again.memories[m].shared_words_per_cycle.has_value(), m == 0);
    }
}

// W stays, X and Y go row by row: 4 rows of 4 words; the products of a row over the two lanes are summed.
TEST(AccelForgeForms, AMappingOfOursIsCountedAsAccelForgeDoes) {
    const Einsum layer = [] {
        Einsum made = parse_einsum("Outputs[M,N] += Inputs[M,K] * Weights[K,N]", {{"M", 4}, {"N", 3}, {"K", 2}});
        made.name = "layer/1";
        return made;
    }();
    Architecture machine;
    machine.memories.resize(2);
    machine.memories[0].name = "DRAM";
    machine.memories[1].name = "Buffer";
    machine.compute.name = "MAC";
    machine.compute.mesh = {2, 1};
    machine.compute.instances = 2;
    const int outputs = find_tensor(layer, "Outputs");
    const auto of = [&](const char* name) { return find_dimension(layer, name); };
    Mapping mapping;
    mapping.nodes = {Store{0, TensorSet::all(3)}, Loop{of("M"), 4, 4}, Store{1, TensorSet::all(3)}, Loop{of("N"), 3, 3},
                     Loop{of("K"), 2, 2, LoopKind::spatial_x}};
    Notes notes;
    const std::string text =
        machine_text(machine, notes) + workload_text(layer, 16) + mapping_text(mapping, layer, machine);
    const yaml::Node root = load_text(text);
    const Costs costs = evaluate(
        read_workload(root), [&](const EinsumSpec& einsum) { return read_machine(root, einsum); }, read_mapping(root));
    double written = 0.0;
    for (const ActionCount& action : costs.einsums.front().actions)
        if (action.component == "DRAM" && action.action == "write") written += action.count;
    EXPECT_EQ(written, 12.0);
    EXPECT_GE(outputs, 0);
    mapping.nodes[1] = Loop{of("M"), 4, 3};
    EXPECT_THROW(mapping_text(mapping, layer, machine), InputError);
}

}  // namespace
}  // namespace tilewright::accelforge
