// AccelForge's recorded optima (golden/fusion/accelforge): every action count, energy and latency, by its own rules on
// a mapping that is made here. The recorded mappings are not stored; `simple` and `snowcat` need no tiling.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "accelforge/account/evaluate.hpp"
#include "accelforge/files/load.hpp"
#include "accelforge/files/machine.hpp"
#include "accelforge/values/mapping.hpp"
#include "base/files/file.hpp"

namespace tilewright::accelforge::accelforge_test {
namespace {

const std::filesystem::path kFolder = "../shared/golden/fusion/accelforge";

/// "snowcat|gpt3_6.7B|BATCH_SIZE=1,DECODE=False|unfused"
struct Key {
    std::string machine;
    std::string workload;
    jinja::Variables variables;
    std::string whole;
};

Key key_of(const std::string& text) {
    const std::size_t a = text.find('|');
    const std::size_t b = text.find('|', a + 1);
    const std::size_t c = text.find('|', b + 1);
    Key key{text.substr(0, a), text.substr(a + 1, b - a - 1), {}, text};
    std::string list = text.substr(b + 1, c - b - 1);
    while (!list.empty()) {
        const std::string one = list.substr(0, list.find(','));
        key.variables[one.substr(0, one.find('='))] = one.substr(one.find('=') + 1);
        list.erase(0, std::min(list.size(), one.size() + 1));
    }
    return key;
}

std::filesystem::path workload_file(const std::string& name) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(kFolder / "examples" / "workloads"))
        if (entry.path().filename() == name + ".yaml") return entry.path();
    return name;
}

MappingNode store(std::vector<std::string> tensors, const std::string& memory) {
    MappingNode node;
    node.tensors = std::move(tensors);
    node.component = memory;
    return node;
}

std::vector<MappingNode> flat_branch(const EinsumSpec& einsum, const std::vector<std::string>& inner_memories) {
    std::vector<MappingNode> nodes;
    std::vector<std::string> tensors;
    for (const TensorAccess& access : einsum.accesses) tensors.push_back(access.tensor);
    for (const std::string& memory : inner_memories) nodes.push_back(store(tensors, memory));
    for (const std::string& variable : einsum.variables) {
        MappingNode loop;
        loop.kind = MappingNode::Kind::temporal;
        loop.variable = variable;
        nodes.push_back(loop);
    }
    MappingNode last;
    last.kind = MappingNode::Kind::compute;
    last.einsum = einsum.name;
    last.component = "MAC";
    nodes.push_back(last);
    return nodes;
}

/// The simplest mapping of a workload: every tensor in every memory (outermost first), einsums in sequence, loops over
/// single steps. Minimum traffic per einsum, if everything fits.
MappingTree flat_mapping(const Workload& workload, const std::vector<std::string>& memories) {
    const std::vector<std::string> inner(memories.begin() + 1, memories.end());
    MappingNode split;
    split.kind = MappingNode::Kind::split;
    for (const EinsumSpec& einsum : workload.einsums) split.branches.push_back(flat_branch(einsum, inner));
    return {{store(workload.tensors(), memories.front()), split}, {}};
}

Costs flat_costs(const Key& key, const std::vector<std::string>& memories) {
    jinja::Settings settings;
    settings.variables = key.variables;
    const yaml::Node machine = load({kFolder / "examples" / "arches" / (key.machine + ".yaml")}, settings);
    const Workload workload = read_workload(load({workload_file(key.workload)}, settings));
    const MappingTree mapping = flat_mapping(workload, memories);
    return evaluate(workload, [&](const EinsumSpec& einsum) { return read_machine(machine, einsum); }, mapping);
}

bool is_close(double a, double b) { return std::abs(a - b) <= 1e-6 * std::max(std::abs(a), std::abs(b)); }

using Figures3 = std::map<std::string, double>;

std::string quoted(const std::string& name) { return "'" + name + "'"; }

Figures3 actions_of(const Costs& costs) {
    Figures3 all;
    for (const EinsumCosts& one : costs.einsums)
        for (const ActionCount& action : one.actions)
            all["(" + quoted(one.einsum) + ", " + quoted(action.component) + ", " +
                quoted(action.tensor.empty() ? "None" : action.tensor) + ", " + quoted(action.action) + ")"] =
                action.count;
    return all;
}

// How many recorded figures were compared; each that differs is a failure.
int compare_all(const nlohmann::json& recorded, const Figures3& ours) {
    int compared = 0;
    for (const auto& [name, value] : recorded.items()) {
        const auto found = ours.find(name);
        EXPECT_TRUE(is_close(value.get<double>(), found == ours.end() ? 0.0 : found->second))
            << name << ": recorded " << value << ", ours " << (found == ours.end() ? 0.0 : found->second);
        ++compared;
    }
    for (const auto& [name, value] : ours)
        EXPECT_TRUE(value == 0.0 || recorded.contains(name)) << name << " is not recorded";
    return compared;
}

int compare_optima(const std::string& machine, const std::string& how, const std::vector<std::string>& memories) {
    const auto reference = nlohmann::json::parse(read_file(kFolder / "reference.json"));
    int optima = 0;
    for (const auto& [name, recorded] : reference.items()) {
        if (!name.starts_with(machine + "|") || !name.ends_with(how)) continue;
        SCOPED_TRACE(name);
        const Costs costs = flat_costs(key_of(name), memories);
        EXPECT_EQ(compare_all(recorded["actions"], actions_of(costs)), static_cast<int>(recorded["actions"].size()));
        EXPECT_TRUE(is_close(recorded["energy"].get<double>(), costs.energy_j)) << costs.energy_j;
        EXPECT_TRUE(is_close(recorded["latency"].get<double>(), costs.latency_s)) << costs.latency_s;
        EXPECT_TRUE(costs.failures.empty());
        ++optima;
    }
    return optima;
}

TEST(AccelForge, EveryRecordedOptimumOfSnowcatIsCountedAsRecorded) {
    if (!exists(kFolder)) GTEST_SKIP() << "skipped: there is no folder " << kFolder;
    EXPECT_GE(compare_optima("snowcat", "|unfused", {"MainMemory", "GlobalBuffer"}), 10);
}

TEST(AccelForge, EveryRecordedOptimumOfTheSimpleMachineIsCountedAsRecorded) {
    if (!exists(kFolder)) GTEST_SKIP() << "skipped: there is no folder " << kFolder;
    EXPECT_GE(compare_optima("simple", "fused", {"MainMemory"}), 6);
}

// Two products of 64 x 64 matrices of words of 8 bits, of files that are written here.
Costs products_on(const std::string& actions, const std::vector<std::string>& memories) {
    const yaml::Node root = load_text(
        "workload:\n"
        "  rank_sizes: {M: 64, N0: 64, N1: 64, N2: 64}\n"
        "  bits_per_value: {All: 8}\n"
        "  einsums: ['T1[m, n1] = T0[m, n0] * W0[n0, n1]', 'T2[m, n2] = T1[m, n1] * W1[n1, n2]']\n"
        "arch:\n"
        "  nodes:\n"
        "  - !Memory {name: MainMemory, component_class: Dummy, size: inf, actions: [{name: read, energy: 1}, {name: "
        "write, energy: 1}]}\n"
        "  - !Memory {name: GlobalBuffer, component_class: Dummy, size: 1e15" +
        actions +
        "}\n"
        "  - !Compute {name: MAC, component_class: Dummy, actions: [{name: compute, energy: 1, throughput: 1}]}\n");
    const Workload workload = read_workload(root);
    const MappingTree mapping = flat_mapping(workload, memories);
    return evaluate(workload, [&](const EinsumSpec& einsum) { return read_machine(root, einsum); }, mapping);
}

// What is recorded of them: on `simple` everything comes from the main memory, with one fused loop as without; on
// `snowcat`, whose units are free and whose buffer holds all, each word comes once.
TEST(AccelForgeFacts, TwoProducts) {
    const Costs simple = products_on(", actions: [{name: read, energy: 1}, {name: write, energy: 1}]", {"MainMemory"});
    EXPECT_DOUBLE_EQ(simple.energy_j, 17235968.0);
    EXPECT_DOUBLE_EQ(simple.latency_s, 524288.0);
    Figures3 actions = actions_of(simple);
    EXPECT_EQ(actions["('T1', 'MainMemory', 'T1', 'read')"], 2064384.0);
    EXPECT_EQ(actions["('T1', 'MainMemory', 'T1', 'write')"], 2097152.0);
    const Costs snowcat = products_on("", {"MainMemory", "GlobalBuffer"});
    EXPECT_DOUBLE_EQ(snowcat.energy_j - 2.0 * 64 * 64 * 64, 196608.0);  // less the units, which are free there
    actions = actions_of(snowcat);
    EXPECT_EQ(actions["('T1', 'GlobalBuffer', 'T0', 'write')"], 32768.0);
    EXPECT_EQ(actions["('T1', 'GlobalBuffer', 'T1', 'read')"], 2097152.0);
    EXPECT_EQ(actions["('T1', 'MainMemory', 'T1', 'write')"], 32768.0);
}

/// Two products of 64 x 64 matrices, one after the other; fused: what lies between them stays in the global buffer.
struct Chain {
    std::string machine;
    bool fused = false;

    std::string at_global_buffer(const std::string& tensors) const {
        return tensors.empty() ? "" : store("GlobalBuffer", tensors);
    }
    static std::string store(const std::string& memory, const std::string& tensors) {
        return "      - !Storage {component: " + memory + ", tensors: [" + tensors + "]}\n";
    }
    static std::string across(const std::string& fanout, const std::string& variable, int tile) {
        const std::size_t dot = fanout.find('.');
        return "      - !Spatial {component: " + fanout.substr(0, dot) + ", name: " + fanout.substr(dot + 1) +
               ", rank_variable: " + variable + ", tile_shape: " + std::to_string(tile) + "}\n";
    }
    static std::string loop(const std::string& variable, int tile) {
        return "      - !Temporal {rank_variable: " + variable + ", tile_shape: " + std::to_string(tile) + "}\n";
    }

    std::string branch(int i) const {
        const std::string a = "T" + std::to_string(i);
        const std::string b = "T" + std::to_string(i + 1);
        const std::string w = "W" + std::to_string(i);
        const std::string in = "n" + std::to_string(i);
        const std::string out = "n" + std::to_string(i + 1);
        std::string nest;
        if (machine == "simba") {
            nest = at_global_buffer(!fused ? a + ", " + b : i == 0 ? a : b);
            nest += across("ProcessingElement.reuse_all", in, 8) + across("ProcessingElement.reuse_all", out, 32);
            nest += store("InputBuffer", a) + store("WeightBuffer", w) + loop(out, 8) + store("AccumulationBuffer", b);
            nest += across("VectorMAC.reuse_input", out, 1) + across("VectorMAC.reuse_output", in, 1);
        } else {
            nest = at_global_buffer(w) + across("LocalBuffer.Z", "m", 16) + store("LocalBuffer", a + ", " + b);
            nest += across("ProcessingElement.reuse_input", out, 1) + across("ProcessingElement.reuse_output", in, 1);
        }
        nest += store("Register", w) + loop("m", 1);
        return "    - !Nested\n      nodes:\n" + nest + "      - !Compute {einsum: Matmul" + std::to_string(i) +
               ", component: MAC}\n";
    }

    std::string text() const {
        std::string nodes = "mapping:\n  nodes:\n";
        nodes += std::string("  - !Storage {component: MainMemory, tensors: [T0, ") + (fused ? "" : "T1, ") +
                 "T2, W0, W1]}\n";
        if (fused) nodes += "  - !Storage {component: GlobalBuffer, tensors: [T1]}\n";
        return nodes + "  - !Sequential\n    nodes:\n" + branch(0) + branch(1);
    }
};

// Fan-outs with and without reuse, several widths of one tensor, rules of latency, leakage, figures of components.
TEST(AccelForge, RecordedOptimaOfArraysAreCountedAsRecorded) {
    if (!exists(kFolder)) GTEST_SKIP() << "skipped: there is no folder " << kFolder;
    const auto reference = nlohmann::json::parse(read_file(kFolder / "reference.json"));
    const auto figures = read_figures(read_file(kFolder / "components.json"), "components.json");
    for (const Chain& chain : {Chain{"simba"}, Chain{"simba", true}, Chain{"tpu_v4i"}, Chain{"tpu_v4i", true}}) {
        const std::string name =
            chain.machine + "|matmuls|KN=64,M=64,N_EINSUMS=2|" + (chain.fused ? "fused" : "unfused");
        SCOPED_TRACE(name);
        jinja::Settings settings;
        settings.variables = key_of(name).variables;
        const yaml::Node machine = load({kFolder / "examples" / "arches" / (chain.machine + ".yaml")}, settings);
        const Workload workload = read_workload(load({workload_file("matmuls")}, settings));
        const Costs costs = evaluate(
            workload,
            [&](const EinsumSpec& einsum) { return read_machine(machine, einsum, figures.at(chain.machine)); },
            read_mapping(load_text(chain.text())));
        EXPECT_GE(compare_all(reference[name]["actions"], actions_of(costs)), 30);
        EXPECT_TRUE(is_close(reference[name]["energy"].get<double>(), costs.energy_j)) << costs.energy_j;
        EXPECT_TRUE(is_close(reference[name]["latency"].get<double>(), costs.latency_s)) << costs.latency_s;
    }
}

double words(const Costs& costs, const std::string& einsum, const std::string& memory, const std::string& tensor) {
    double sum = 0.0;
    for (const EinsumCosts& one : costs.einsums)
        for (const ActionCount& action : one.actions)
            if ((einsum.empty() || one.einsum == einsum) && action.component == memory && action.tensor == tensor)
                sum += action.count / 8.0;
    return sum;
}

Costs example_costs(const std::string& mapping_name, const std::string& workload_name,
                    const jinja::Variables& variables) {
    jinja::Settings settings;
    settings.variables = variables;
    const std::filesystem::path examples = kFolder / "examples";
    const yaml::Node root = load({examples / "arches" / "simple.yaml", examples / "workloads" / "basic" / workload_name,
                                  examples / "mappings" / mapping_name},
                                 settings);
    const Workload workload = read_workload(root);
    return evaluate(workload, [&](const EinsumSpec& einsum) { return read_machine(root, einsum); }, read_mapping(root));
}

// In words: A has 4, Y 3, Z 4. Tiled by ny, Z is written three times and read back twice; `tiled` keeps Y in the main
// memory, too (docs/coming-from-accelforge.md).
TEST(AccelForge, ExampleMappingsCostWhatFollowsByHand) {
    if (!exists(kFolder)) GTEST_SKIP() << "skipped: there is no folder " << kFolder;
    const std::map<std::string, std::vector<double>> expected{{"fused_matvecs_to_simple_tiled", {12, 6, 20}},
                                                              {"fused_matvecs_to_simple_tiled_reuse_A", {4, 0, 20}},
                                                              {"fused_matvecs_to_simple_untiled", {4, 0, 4}},
                                                              {"unfused_matvecs_to_simple", {4, 6, 4}}};
    for (const auto& [name, by_tensor] : expected) {
        SCOPED_TRACE(name);
        const Costs costs = example_costs(name + ".yaml", "matvecs.yaml", {});
        EXPECT_DOUBLE_EQ(words(costs, "", "MainMemory", "A"), by_tensor[0]);
        EXPECT_DOUBLE_EQ(words(costs, "", "MainMemory", "Y"), by_tensor[1]);
        EXPECT_DOUBLE_EQ(words(costs, "", "MainMemory", "Z"), by_tensor[2]);
    }
}

TEST(AccelForge, TheFusedMatrixChainKeepsWhatLiesBetween) {
    if (!exists(kFolder)) GTEST_SKIP() << "skipped: there is no folder " << kFolder;
    const Costs costs = example_costs("fused_matmuls_to_simple.yaml", "matmuls.yaml",
                                      {{"N_EINSUMS", "2"}, {"M", "4"}, {"KN", "4"}, {"GlobalBufferSize", "320"}});
    for (const char* tensor : {"T0", "W0", "W1", "T2"})
        EXPECT_DOUBLE_EQ(words(costs, "", "MainMemory", tensor), 16.0) << tensor;
    EXPECT_DOUBLE_EQ(words(costs, "Matmul0", "GlobalBuffer", "T1"), (512.0 - 128.0 + 512.0) / 8.0);
    EXPECT_DOUBLE_EQ(words(costs, "Matmul1", "GlobalBuffer", "T1"), 64.0);
    // W0 and W1 stand above the shared loop, 128 bits each, all the time; T1 takes 32, and T2 32 in the second einsum.
    ASSERT_EQ(costs.memories.size(), 2U);
    EXPECT_DOUBLE_EQ(costs.memories[1].bits, 320.0);
    EXPECT_TRUE(costs.failures.empty());
    const Costs tight = example_costs("fused_matmuls_to_simple.yaml", "matmuls.yaml",
                                      {{"N_EINSUMS", "2"}, {"M", "4"}, {"KN", "4"}, {"GlobalBufferSize", "319"}});
    EXPECT_EQ(tight.failures.size(), 1U);
}

}  // namespace
}  // namespace tilewright::accelforge::accelforge_test
