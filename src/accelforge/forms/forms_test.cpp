#include <gtest/gtest.h>

#include <cmath>

#include "accelforge/account/evaluate.hpp"
#include "accelforge/files/load.hpp"
#include "accelforge/forms/as_ours.hpp"
#include "accelforge/forms/write.hpp"
#include "workload/einsum_text.hpp"

namespace tilewright::accelforge::forms_test {
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

// Sums three times as wide as results, as simba's: a third of the capacity, three times the energy of a word.
TEST(AccelForgeForms, AMemoryMayHaveWordsOfItsOwnWidth) {
    const auto machine = [](const std::string& keep) {
        return load_text(
            "workload: {rank_sizes: {M: 4, K: 4, N: 4}, bits_per_value: {All: 8}, einsums: ['Z[m, n] = A[m, k] * "
            "B[k, n]']}\n"
            "arch:\n"
            "  nodes:\n"
            "  - !Memory {name: Main, component_class: Dummy, size: inf, tensors: {keep: All}}\n"
            "  - !Memory {name: Sums, component_class: Dummy, size: 240, bits_per_value: {Z: 24}, tensors: {keep: " +
            keep +
            "}, actions: [{name: read, energy: 1e-12, throughput: 8}, {name: write, energy: 2e-12, throughput: 8}]}\n"
            "  - !Compute {name: MAC, component_class: Dummy, actions: [{name: compute, energy: 0, throughput: 1}]}\n");
    };
    const auto made = [&](const std::string& keep, Notes& notes) {
        const yaml::Node root = machine(keep);
        return architecture_of(root, typical_einsum(read_workload(root)), "machine", {}, notes).memories[1];
    };
    Notes none;
    const Memory sums = made("Z", none);
    EXPECT_EQ(sums.capacity_words, 10);
    EXPECT_DOUBLE_EQ(sums.energy.read_pj.value, 24.0);
    EXPECT_DOUBLE_EQ(sums.energy.update_pj.value, 48.0);
    EXPECT_TRUE(none.empty());
    Notes several;  // A's words stay as wide as the einsum's
    EXPECT_EQ(made("A | Z", several).capacity_words, 30);
    EXPECT_FALSE(several.empty());
}

// A toll directly inside the outermost memory charges the memory's reads and writes; the same mapping by AccelForge's
// rules costs as much.
TEST(AccelForgeForms, ATollInsideTheOutermostMemoryIsAPartOfIt) {
    const auto text = [](const std::string& toll) {
        return "arch:\n  nodes:\n"
               "  - !Memory {name: M, component_class: Dummy, size: inf, tensors: {keep: All}, actions: [{name: read, "
               "energy: "
               "1e-12, latency: 0}, {name: write, energy: 2e-12, latency: 0}]}\n" +
               toll +
               "  - !Memory {name: B, component_class: Dummy, size: 1e9, tensors: {keep: All}}\n"
               "  - !Compute {name: C, component_class: Dummy, actions: [{name: compute, energy: 0, throughput: 1}]}\n"
               "workload: {rank_sizes: {M: 4, K: 6, N: 8}, bits_per_value: {All: 8}, einsums: ['Y[m, n] = X[m, k] * "
               "W[k, n]']}\n";
    };
    const auto toll = [](const std::string& direction, const std::string& keep) {
        return "  - !Toll {name: T, direction: " + direction + ", tensors: {keep: " + keep +
               "}, leak_power: 0, area: 0, actions: [{name: read, energy: 5e-12, latency: 0}]}\n";
    };
    const auto outermost = [&](const std::string& line) {
        const yaml::Node root = load_text(text(line));
        Notes notes;
        return architecture_of(root, typical_einsum(read_workload(root)), "machine", {}, notes).memories.front();
    };
    EXPECT_DOUBLE_EQ(outermost("").energy.read_pj.value, 8.0);
    EXPECT_DOUBLE_EQ(outermost(toll("up_and_down", "All")).energy.read_pj.value, 48.0);
    EXPECT_DOUBLE_EQ(outermost(toll("up_and_down", "All")).energy.update_pj.value, 56.0);
    EXPECT_DOUBLE_EQ(outermost(toll("up", "All")).energy.read_pj.value, 8.0);
    EXPECT_DOUBLE_EQ(outermost(toll("down", "All")).energy.update_pj.value, 16.0);
    // All of X and W once, and Y written once: by AccelForge's rules 5 pJ per bit crossing.
    const std::string mapping =
        "mapping:\n  nodes:\n  - !Storage {component: M, tensors: [X, W, Y]}\n"
        "  - !Toll {component: T, tensors: [X, W, Y]}\n  - !Storage {component: B, tensors: [X, W, Y]}\n"
        "  - !Temporal {rank_variable: m, tile_shape: 1}\n  - !Temporal {rank_variable: k, tile_shape: 1}\n"
        "  - !Temporal {rank_variable: n, tile_shape: 1}\n  - !Compute {einsum: Y, component: C}\n";
    const yaml::Node root = load_text(text(toll("up_and_down", "All")) + mapping);
    const Costs theirs = evaluate(
        read_workload(root), [&](const EinsumSpec& einsum) { return read_machine(root, einsum); }, read_mapping(root));
    const Memory ours = outermost(toll("up_and_down", "All"));
    EXPECT_NEAR(theirs.energy_j * 1e12,
                (4 * 6 + 6 * 8) * ours.energy.read_pj.value + 4 * 8 * ours.energy.update_pj.value, 1e-6);
    const auto refusal = [&](const std::string& line) -> std::string {
        try {
            static_cast<void>(outermost(line));
        } catch (const InputError& error) {
            return error.message();
        }
        return "none";
    };
    EXPECT_EQ(refusal(toll("up", "Y")), "none");
    EXPECT_EQ(outermost(toll("up", "Y")).link.passages.size(), 1U);
    EXPECT_DOUBLE_EQ(outermost(toll("up", "Y")).link.passages[0].word_pj(), 40.0);
    EXPECT_TRUE(outermost(toll("up", "X")).link.passages.empty());  // no operand goes outwards
    EXPECT_NE(refusal("  - !Toll {name: T, tensors: {keep: Y}, leak_power: 0, area: 0, actions: [{name: read, energy: "
                      "5e-12, latency: 1}]}\n")
                  .find("it takes time"),
              std::string::npos);
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
    EXPECT_EQ(given.levels[1].spatial.factors[find_dimension(product, "m")].at_most, 1);
    EXPECT_EQ(given.levels[1].spatial.factors[find_dimension(product, "k")].at_most, 4);
}

TEST(AccelForgeForms, AWorkloadIsACascadeAndComesBackFromItsText) {
    Notes notes;
    const Cascade cascade = cascade_of(read_workload(example()), "two", notes);
    EXPECT_EQ(problem_with(cascade), "");
    ASSERT_EQ(cascade.einsum_count(), 2);
    EXPECT_EQ(cascade.einsums[0].kind, EinsumKind::contraction);
    EXPECT_EQ(cascade.tensors[find_tensor(cascade, "T")].role, TensorRole::intermediate);
    EXPECT_EQ(cascade.tensors[find_tensor(cascade, "V")].role, TensorRole::weight);
    EXPECT_EQ(cascade.tensors[find_tensor(cascade, "Z")].role, TensorRole::output);
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

// W is stationary, X and Y go row by row: 4 rows of 4 words; the products of a row over the two lanes are summed.
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
        machine_text(machine, notes) + workload_text(layer, 16) + mapping_text(mapping, layer, machine, notes);
    const yaml::Node root = load_text(text);
    const Costs costs = evaluate(
        read_workload(root), [&](const EinsumSpec& einsum) { return read_machine(root, einsum); }, read_mapping(root));
    double written = 0.0;
    for (const ActionCount& action : costs.einsums.front().actions)
        if (action.component == "DRAM" && action.action == "write") written += action.count;
    EXPECT_EQ(written, 12.0);
    EXPECT_GE(outputs, 0);
    mapping.nodes[1] = Loop{of("M"), 4, 3};
    EXPECT_THROW(mapping_text(mapping, layer, machine, notes), InputError);
}

double count_of(const Costs& costs, const std::string& component, const std::string& tensor,
                const std::string& action) {
    double sum = 0.0;
    for (const ActionCount& one : costs.einsums.front().actions)
        if (one.component == component && one.tensor == tensor && one.action == action) sum += one.count;
    return sum;
}

// m is irrelevant to a buffer's weights. AccelForge would refill their tile 4 times below this loop; its store stands
// above it. Before the registers lies a fan-out: they are filled 4 times as often as here, with a note.
TEST(AccelForgeForms, AStoreStandsAboveLoopsThatDoNotMoveItsTensor) {
    Einsum layer = parse_einsum("O[m,n] += I[m,k] * W[k,n]", {{"m", 4}, {"n", 3}, {"k", 2}});
    layer.name = "layer";
    Architecture machine;
    machine.memories.resize(3);
    machine.memories[0].name = "DRAM";
    machine.memories[1].name = "Buffer";
    machine.memories[2].name = "Register";
    machine.memories[2].mesh = {2, 1};
    machine.memories[2].instances = 2;
    machine.compute.name = "MAC";
    machine.compute.mesh = {2, 1};
    machine.compute.instances = 2;
    const auto of = [&](const char* name) { return find_dimension(layer, name); };
    const TensorSet weights = TensorSet::of(find_tensor(layer, "W"));
    TensorSet others = TensorSet::all(3);
    others.remove(find_tensor(layer, "W"));
    Mapping mapping;
    mapping.nodes = {Store{0, TensorSet::all(3)}, Loop{of("n"), 3, 3}, Loop{of("m"), 4, 4}, Store{1, TensorSet::all(3)},
                     Loop{of("k"), 2, 2, LoopKind::spatial_x}};
    const auto counted = [&](Notes& notes) {
        const yaml::Node root = load_text(machine_text(machine, notes) + workload_text(layer, 16) +
                                          mapping_text(mapping, layer, machine, notes));
        return evaluate(
            read_workload(root), [&](const EinsumSpec& einsum) { return read_machine(root, einsum); },
            read_mapping(root));
    };
    Notes notes;
    EXPECT_EQ(count_of(counted(notes), "Buffer", "W", "write"), 6.0);
    EXPECT_TRUE(notes.empty());
    mapping.nodes = {Store{0, TensorSet::all(3)},
                     Loop{of("n"), 3, 3},
                     Loop{of("m"), 4, 4},
                     Store{1, others},
                     Loop{of("k"), 2, 2, LoopKind::spatial_x},
                     Store{2, weights}};
    EXPECT_EQ(count_of(counted(notes), "Register", "W", "write"), 24.0);
    ASSERT_EQ(notes.texts().size(), 1U);
    EXPECT_NE(notes.texts().front().find("W in Register (4 times)"), std::string::npos) << notes.texts().front();
}

const char* const kAsked =
    "arch:\n"
    "  extra_attributes_for_all_component_models: {tech_node: 65e-9}\n"
    "  nodes:\n"
    "  - !Memory {name: Main, component_class: LPDDR4, size: inf, tensors: {keep: All}}\n"
    "  - !Memory\n"
    "    name: Buffer\n"
    "    component_class: SmartBufferSRAM\n"
    "    size: 1048576\n"
    "    actions: [{name: read, bits_per_action: 64}, {name: write, bits_per_action: 64}]\n"
    "    tensors: {may_keep: All, no_refetch_from_above: input, tensor_order_options: [[input, weight]],\n"
    "      tile_shape: [{expression: m, operator: <=, value: 4}]}\n"
    "  - !Container\n"
    "    name: Array\n"
    "    spatial: [{name: X, fanout: 4, min_usage: 1, loop_bounds: [{expression: m, operator: ==, value: 1}]}]\n"
    "  - !Compute {name: MAC, component_class: IntMAC,\n"
    "      extra_attributes_for_component_model: {multiplier_width: 8, adder_width: 16}}\n"
    "renames:\n"
    "  einsums:\n"
    "  - {name: default, tensor_accesses: [{name: input, source: A}, {name: weight, source: V}]}\n"
    "workload:\n"
    "  rank_sizes: {M: 16, K: 8, N: 8}\n"
    "  bits_per_value: {All: 8}\n"
    "  persistent_tensors: V\n"
    "  einsums: [\"T[m, n] = A[m, k] * V[k, n]\"]\n";

bool says(const Notes& notes, const std::string& part) {
    for (const std::string& text : notes.texts())
        if (text.find(part) != std::string::npos) return true;
    return false;
}

TEST(AccelForgeForms, RulesOfItsSearchAreNamedWithTheirPlaces) {
    const yaml::Node root = load_text(kAsked, "a.yaml");
    const Workload workload = read_workload(root);
    Notes notes;
    static_cast<void>(architecture_of(root, workload.einsums.front(), "machine", {}, notes));
    static_cast<void>(cascade_of(workload, "one", notes));
    EXPECT_TRUE(says(notes, "'min_usage' is a rule of AccelForge's own search")) << notes.texts().size();
    EXPECT_TRUE(says(notes, "'loop_bounds' is a rule"));
    EXPECT_TRUE(says(notes, "'no_refetch_from_above' is a rule"));
    EXPECT_TRUE(says(notes, "'tensor_order_options' is a rule"));
    EXPECT_TRUE(says(notes,
                     "'tile_shape' is a rule of AccelForge's own search: mappings are found without it: Buffer "
                     "(a.yaml:11)"));
    EXPECT_TRUE(says(notes, "persistent_tensors (a.yaml:23)"));
}

TEST(AccelForgeForms, RulesOfItsSearchHaveToBeSound) {
    const auto mistake = [](const std::string& from, const std::string& to) -> std::string {
        std::string text = kAsked;
        text.replace(text.find(from), from.size(), to);
        try {
            const yaml::Node root = load_text(text, "a.yaml");
            static_cast<void>(read_machine(root, read_workload(root).einsums.front()));
        } catch (const InputError& error) {
            return error.what();
        }
        return "";
    };
    EXPECT_EQ(mistake("value: 4", "value: 5"), "");
    EXPECT_NE(mistake("operator: <=", "operator: =<").find("a.yaml:11:"), std::string::npos);
    EXPECT_NE(mistake("[[input, weight]]", "[[input, weights]]").find("unknown name 'weights'"), std::string::npos);
    EXPECT_NE(mistake("no_refetch_from_above: input", "no_refetch_from_above: inputs").find("a.yaml:10:"),
              std::string::npos);
    EXPECT_NE(mistake("expression: m, operator: ==", "expression: A, operator: ==").find("rank variables"),
              std::string::npos);
}

// A DRAM of 8 pJ a bit, an SRAM of 1 Mbit with rows of 64 bits at 65 nm, a multiplier.
TEST(AccelForgeForms, EnergiesThatItsLibraryWouldSayComeFromOurTables) {
    const yaml::Node root = load_text(kAsked, "a.yaml");
    const Workload workload = read_workload(root);
    Notes notes;
    const Figures figures = with_estimates(root, workload.einsums.front(), {}, notes);
    const MachineSpec machine = read_machine(root, workload.einsums.front(), figures);
    const double dram_j = machine.components[0].action("read")->energy_j;
    EXPECT_GT(dram_j, 2e-12);
    EXPECT_LT(dram_j, 2e-11);
    const double sram_j = machine.components[1].action("read")->energy_j;
    EXPECT_GT(sram_j, 5e-12);
    EXPECT_LT(sram_j, 5e-10);
    EXPECT_GT(machine.components[3].action("compute")->energy_j, 1e-14);
    EXPECT_GT(machine.components[1].leak_w, 0.0);
    EXPECT_TRUE(says(notes, "are of our tables"));
    EXPECT_TRUE(std::isinf(machine.components[1].action("read")->per_second));
    Figures given;
    given["Buffer"].actions["read"] = {1e-12, 1e9};
    const Figures both = with_estimates(root, workload.einsums.front(), given, notes);
    EXPECT_EQ(both.at("Buffer").actions.at("read").energy_j, 1e-12);
    EXPECT_GT(both.at("Buffer").actions.at("write").energy_j, 5e-12);
}

}  // namespace
}  // namespace tilewright::accelforge::forms_test
