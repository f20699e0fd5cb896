#include <gtest/gtest.h>

#include "accelforge/files/load.hpp"
#include "accelforge/files/machine.hpp"
#include "base/error.hpp"

namespace tilewright::accelforge::files_test {
namespace {

constexpr const char* kWorkload = R"(
workload:
  rank_sizes: {M: 6, K: ceil(M / 4) * 2, N: 3}
  bits_per_value: {weight: 4, Other: 8}
  einsums:
  - "Y[m, n] = X[m, k] * W[k, n]"
  - [{einsum: "Z[m] = Y[m, n]", n_instances: 2}]
renames:
  einsums:
  - name: default
    tensor_accesses:
    - {name: weight, source: "Inputs - Intermediates - X", expected_count: "1 if len(All) == 3 else 0"}
)";

std::string without_quotes(std::string text) {
    std::erase(text, '"');  // quoted texts are not expressions: these are plain
    return text;
}

Workload workload_of(const std::string& text) { return read_workload(load_text(text, "w.yaml")); }

std::string refusal(const std::string& text) {
    try {
        static_cast<void>(workload_of(text));
    } catch (const InputError& error) {
        return std::to_string(error.where().line) + ":" + std::to_string(error.where().column) + ": " + error.message();
    }
    return "";
}

TEST(AccelForgeFiles, AWorkloadIsReadWithItsSizesBitsAndNames) {
    std::string text = kWorkload;
    for (const char* quoted : {"\"Inputs - Intermediates - X\"", "\"1 if len(All) == 3 else 0\""})
        text.replace(text.find(quoted), std::string(quoted).size(), without_quotes(quoted));
    const Workload workload = workload_of(text);
    ASSERT_EQ(workload.einsums.size(), 2U);
    const EinsumSpec& product = workload.einsums[0];
    EXPECT_EQ(product.name, "Y");
    EXPECT_EQ(product.variables, (std::vector<std::string>{"m", "k", "n"}));
    EXPECT_EQ(product.extents, (std::vector<std::int64_t>{6, 4, 3}));
    EXPECT_EQ(product.bits, (std::vector<double>{8, 4, 8}));
    EXPECT_EQ(workload.einsums[1].instances, 2.0);
    EXPECT_TRUE(workload.is_intermediate("Y"));
    EXPECT_FALSE(workload.is_intermediate("X"));
}

TEST(AccelForgeFiles, ExtentsAreThoseOfTheBoxAroundTheConditions) {
    const Workload workload = workload_of(R"(
workload:
  rank_sizes: {P: 28, H: 28}
  bits_per_value: {All: 8}
  einsums:
  - name: Conv
    tensor_accesses:
    - {name: I, projection: {H: p + r}}
    - {name: W, projection: {R: r}}
    - {name: O, projection: [p], output: True}
    iteration_space_shape: [0 <= r < 3]
)");
    EXPECT_EQ(workload.einsums[0].extents, (std::vector<std::int64_t>{28, 3}));
    EXPECT_EQ(volume(workload.einsums[0].accesses[0], {28, 3}), 30.0);
    EXPECT_EQ(relevancy(workload.einsums[0].accesses[0], 1), Relevancy::partial);
    EXPECT_FALSE(workload.einsums[0].is_simple(0));
}

TEST(AccelForgeFiles, AnOperandThatComesTwiceIsReadOnce) {
    const auto accesses = [](const std::string& text) {
        return workload_of("workload:\n  rank_sizes: {M: 2}\n  bits_per_value: {All: 8}\n  einsums: [\"" + text +
                           "\"]\n")
            .einsums.front()
            .accesses.size();
    };
    EXPECT_EQ(accesses("L[m] = DX[m] + DX[m]"), 2U);
    EXPECT_EQ(refusal("workload:\n  rank_sizes: {M: 2, N: 2}\n  einsums: [\"L[m, n] = DX[m] + DX[n]\"]\n"),
              "3:14: 'DX' comes twice in one einsum");
}

std::string workload_with(const std::string& lines) { return "workload:\n  bits_per_value: {All: 8}\n" + lines; }

TEST(AccelForgeFiles, RefusesWhatIsNoWorkloadAtItsPlace) {
    EXPECT_EQ(
        refusal(workload_with("  einsums: [\"Y[m] = X[m]\"]\n")),
        "3:14: rank variable 'm' of 'Y' has no bounds: give 'rank_sizes' or 'iteration_space_shape' (or they are too "
        "far apart)");
    EXPECT_EQ(refusal(workload_with("  einsums: [\"Y[m] X[m]\"]\n")),
              "3:14: expected one '=' in 'RESULT[..] = OPERAND[..] * OPERAND[..]'");
    EXPECT_EQ(refusal(workload_with("  rank_sizes: {M: 2, I: 3}\n  einsums: [\"Y[m] = X[I: m * m]\"]\n")),
              "4:14: 'm * m' is no sum of multiples of rank variables");
    EXPECT_EQ(refusal(workload_with("  rank_sizes: {M: N, N: M}\n  einsums: [\"Y[m] = X[m]\"]\n")),
              "3:19: the size of 'M' depends on itself");
    EXPECT_EQ(refusal(workload_with("  rank_size: {M: 2}\n  einsums: []\n")),
              "3:3: unknown key 'rank_size'; did you mean 'rank_sizes'?");
    EXPECT_EQ(refusal("workload:\n  rank_sizes: {M: 2}\n  bits_per_value: {Inpts: 8}\n  einsums: [\"Y[m] = X[m]\"]\n"),
              "3:20: unknown name 'Inpts'; did you mean 'Inputs'?");
}

MachineSpec machine_of(const std::string& text) {
    const yaml::Node root = load_text(text, "a.yaml");
    return read_machine(root, workload_of(root.has("workload") ? text : "").einsums.front());
}

constexpr const char* kSmall = R"(
workload:
  rank_sizes: {M: 2}
  bits_per_value: {All: 8}
  einsums: ["Y[m] = X[m]"]
arch:
  variables: {width: 4}
  nodes:
)";

TEST(AccelForgeFiles, AMachineIsReadAsTheEinsumSeesIt) {
    const MachineSpec machine = machine_of(std::string(kSmall) + R"(
  - !Memory {name: M, component_class: dummy, size: inf, tensors: {keep: ~Outputs}}
  - !Memory
    name: B
    size: width * X.bits_per_value
    leak_power: 0
    tensors: {keep: ~M}
    total_latency: max(a.n_calls / a.throughput for a in actions)
    actions: [{name: read, energy: 2, throughput: 4}, {name: write, energy: 1, throughput: 2}]
  - !Fork
    nodes: [!Compute {name: Side, component_class: Dummy, enabled: len(All) == 3}]
  - !Container {name: P, spatial: [{name: x, fanout: 3, reuse: X}]}
  - !Compute {name: C, component_class: Dummy}
)");
    ASSERT_EQ(machine.components.size(), 5U);
    EXPECT_EQ(machine.components[0].keep, 0b01U);
    EXPECT_EQ(machine.components[1].keep, 0b10U);  // the tensors M does not keep
    EXPECT_EQ(machine.components[1].size_bits, 32.0);
    EXPECT_EQ(machine.components[1].latency({{"read", 8.0}, {"write", 2.0}}), 2.0);
    EXPECT_FALSE(machine.components[2].enabled);
    EXPECT_EQ(machine.components[3].fanouts[0].may_reuse, 0b01U);
    EXPECT_EQ(machine.path_to(4), (std::vector<int>{0, 1, 3, 4}));
    EXPECT_EQ(machine.path_to(2), (std::vector<int>{0, 1, 2}));
}

TEST(AccelForgeFiles, ReadsTheNamesOfSpring2026) {
    const MachineSpec machine = machine_of(std::string(kSmall) + R"(
  - !Memory
    name: B
    size: inf
    leak_power: 0
    total_latency: max(read_latency, write_latency)
    tensors: {keep: All}
    actions: [{name: read, energy: 2, latency: 0.25}, {name: write, energy: 1, latency: 0.5}]
  - !Compute
    name: C
    leak_power: 0
    total_latency: 3 * compute_actions
    actions: [{name: compute, energy: 1, latency: 1}]
)");
    EXPECT_EQ(machine.components[0].latency({{"read", 8.0}, {"write", 2.0}}), 2.0);
    EXPECT_EQ(machine.components[0].latency({{"read", 8.0}, {"write", 6.0}}), 3.0);
    EXPECT_EQ(machine.components[1].latency({{"compute", 7.0}}), 21.0);
}

TEST(AccelForgeFiles, KeysThatOnlyHoldAnchorsSayNothing) {
    const MachineSpec machine = machine_of(
        "per_bit: &per_bit\n  {name: read, energy: 2, latency: 0.25}\nwords_ignore: {a: b}" + std::string(kSmall) + R"(
  - !Memory
    name: B
    size: inf
    leak_power: 0
    tensors: {keep: All}
    actions: [<<: *per_bit, {name: write, energy: 1, latency: 0.5}]
  - !Compute {name: C, leak_power: 0, actions: [{name: compute, energy: 1, latency: 1}]}
)");
    EXPECT_EQ(machine.components[0].action("read")->energy_j, 2.0);
    EXPECT_THROW((void)load_text("per_bit: {name: read}\narch: {nodes: []}\n", "a.yaml"), InputError);
}

std::string machine_refusal(const std::string& node) {
    try {
        static_cast<void>(machine_of(std::string(kSmall) + "  - " + node + "\n"));
    } catch (const InputError& error) {
        return std::to_string(error.where().line) + ":" + std::to_string(error.where().column) + ": " + error.message();
    }
    return "";
}

TEST(AccelForgeFiles, RefusesWhatIsNoMachineAtItsPlace) {
    EXPECT_EQ(machine_refusal("!Memory {name: M, size: 1, tensors: {keep: Weights}}"), "9:48: unknown name 'Weights'");
    EXPECT_EQ(machine_refusal("!Memory {name: M, size: 1, tensors: {kep: All}}"),
              "9:42: unknown key 'kep'; did you mean 'keep'?");
    EXPECT_EQ(machine_refusal("!Network {name: N}"),
              "9:15: '!Network' is not modelled: networks between and inside of memories");
    EXPECT_EQ(machine_refusal("!Memry {name: N}").substr(0, 29), "9:13: expected a node tagged ");
    EXPECT_EQ(machine_refusal("!Memory {name: M, size: \"2 * 4\"}"),
              "9:30: expected a number, found a text (a text in quotes is no expression)");
}

TEST(AccelForgeFiles, FiguresOfComponentsCountWhereTheFileGivesNone) {
    const auto figures = read_figures(
        R"({"small": {"M": {"leak_power": 0.5, "actions": {"read": {"energy": 2e-12, "throughput": Infinity},
            "write": {"energy": 3e-12, "throughput": 8}}}}})",
        "figures.json");
    const yaml::Node root = load_text(std::string(kSmall) +
                                      "  - !Memory {name: M, size: inf, actions: [{name: read, energy: 1}]}\n"
                                      "  - !Compute {name: C}\n");
    Notes notes;
    const MachineSpec machine = read_machine(root, read_workload(root).einsums.front(), figures.at("small"), &notes);
    EXPECT_EQ(machine.components[0].action("read")->energy_j, 1.0);  // the file's own comes first
    EXPECT_EQ(machine.components[0].action("write")->energy_j, 3e-12);
    EXPECT_EQ(machine.components[0].action("write")->per_second, 8.0);
    EXPECT_EQ(machine.components[0].leak_w, 0.5);
    ASSERT_EQ(notes.texts().size(), 1U);
    EXPECT_NE(notes.texts().front().find("C compute energy"), std::string::npos);
    EXPECT_THROW(read_figures(R"({"a": {"b": {"actions": {"read": {"energy": 1, "throughput": 0}}}}})", "f.json"),
                 InputError);
}

TEST(AccelForgeFiles, AFileIsToldByWhatItHolds) {
    EXPECT_TRUE(is_accelforge("workload:\n  einsums: []\n"));
    EXPECT_TRUE(is_accelforge("{% set A = 1 %}\narch:\n  nodes:\n  - !Memory {name: M}\n"));
    EXPECT_TRUE(is_accelforge("mapping:\n  nodes:\n  - !Storage {}\n"));
    EXPECT_FALSE(is_accelforge("architecture:\n  nodes:\n  - !Component {name: M}\n"));
    EXPECT_FALSE(is_accelforge("problem: {}\n"));
}

}  // namespace
}  // namespace tilewright::accelforge::files_test
