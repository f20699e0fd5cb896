#include "timeloop/write/write_machine.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "arch/estimation/estimate.hpp"
#include "timeloop/files/load.hpp"
#include "timeloop/files/zoo.hpp"
#include "timeloop/machine/architecture.hpp"
#include "workload/zoo/zoo.hpp"

namespace tilewright::timeloop::write_machine_test {
namespace {

using testing::HasSubstr;

yaml::Node loaded(const std::string& text) { return load_text(text, "machine.yaml"); }

WrittenMachine written(const yaml::Node& root, MachineForm form) {
    return write_machine(root, read_architecture(root), form);
}

std::string refusal(const yaml::Node& root, MachineForm form) {
    try {
        return written(root, form).text;
    } catch (const InputError& error) {
        return error.message();
    }
}

bool is_in_memory(const std::string& name) { return name == "neurram" || name == "tu-isscc-2022"; }

// Reading back is the oracle: the machine, and its constraints on every layer of a network.
TEST(WriteMachine, EveryMachineOfTheZooIsTheSameAfterwards) {
    const Network network = zoo_network("mobilenetv2", {{"batch", 2}});
    for (const std::string& name : zoo_architectures()) {
        SCOPED_TRACE(name);
        const yaml::Node root = zoo_architecture(name);
        if (name == "fused-npu" || is_in_memory(name)) {
            EXPECT_THAT(refusal(root, MachineForm::hierarchy),
                        HasSubstr(is_in_memory(name) ? "no form of Timeloop's says so"
                                                     : "only version 0.3 can say this machine"));
            continue;
        }
        const Architecture architecture = read_architecture(root);
        const WrittenMachine file = write_machine(root, architecture, MachineForm::hierarchy);
        std::vector<std::string> left_out;
        for (const char* section : {"device", "silicon"})
            if (root.has(section)) left_out.push_back(std::string("'") + section + "' is no part of a machine");
        ASSERT_EQ(file.notes.size(), left_out.size());
        for (std::size_t i = 0; i < left_out.size(); ++i) EXPECT_THAT(file.notes[i], HasSubstr(left_out[i]));
        const yaml::Node again = loaded(file.text);
        EXPECT_EQ(first_difference(architecture, read_architecture(again)), "");
        for (const Layer& layer : network.layers)
            EXPECT_EQ(read_constraints(root, architecture, layer.einsum, Unnamed::ignore),
                      read_constraints(again, architecture, layer.einsum, Unnamed::ignore));
        EXPECT_EQ(write_machine(again, read_architecture(again), MachineForm::hierarchy).text, file.text);
    }
}

TEST(WriteMachine, TheTreeSaysTheSameMachinesExceptForNewWords) {
    for (const std::string& name : zoo_architectures()) {
        SCOPED_TRACE(name);
        const yaml::Node root = zoo_architecture(name);
        const std::string text = refusal(root, MachineForm::tree);
        if (is_in_memory(name)) {
            EXPECT_THAT(text, HasSubstr("no form of Timeloop's says so"));
            continue;
        }
        if (name == "h200" || name == "h200-256" || name == "k80") {
            EXPECT_EQ(text,
                      "'inter_block_spatial': version 0.3 has no word for the constraint "
                      "'must_iterate_over_dataspaces'");
            continue;
        }
        const Architecture architecture = read_architecture(root);
        ASSERT_THAT(text, HasSubstr("version: 0.3"));
        EXPECT_EQ(first_difference(architecture, read_architecture(loaded(text))), "");
    }
}

TEST(WriteMachine, EstimatesAreTablesThatAnyToolReads) {
    for (const std::string& name : zoo_architectures()) {
        SCOPED_TRACE(name);
        const yaml::Node root = zoo_architecture(name);
        if (name == "fused-npu" || is_in_memory(name)) {
            EXPECT_THAT(refusal(root, MachineForm::hierarchy),
                        HasSubstr(is_in_memory(name) ? "no form of Timeloop's says so"
                                                     : "only version 0.3 can say this machine"));
            continue;
        }
        Architecture architecture = read_architecture(root);
        estimate(architecture);
        const yaml::Node again = loaded(write_machine(root, architecture, MachineForm::hierarchy).text);
        Architecture given = read_architecture(again);
        EXPECT_EQ(estimate(given), std::vector<std::string>());
        EXPECT_EQ(first_difference(architecture, given), "");
    }
}

constexpr const char* kTree = R"(
architecture:
  version: 0.3
  subtree:
  - name: chip
    attributes: {technology: "45nm"}
    local:
    - {name: DRAM, class: DRAM, attributes: {type: LPDDR4, width: 32, datawidth: 8, block-size: 4}}
    subtree:
    - name: PE[0..7]
      local:
      - {name: buffer, class: SRAM, attributes: {depth: 64, width: 20, meshX: 4, sizeless: 1}}
      - {name: mac, class: intmac, attributes: {datawidth: 8, meshX: 4}}
)";

TEST(WriteMachine, WhatAFormCannotSayIsNamed) {
    std::string text = kTree;
    EXPECT_THAT(refusal(loaded(text), MachineForm::tree), HasSubstr("unknown attribute 'sizeless'"));
    text.erase(text.find(", sizeless: 1"), 13);
    EXPECT_THAT(refusal(loaded(text), MachineForm::tree), HasSubstr("name: buffer"));
    EXPECT_EQ(refusal(loaded(text), MachineForm::hierarchy),
              "'DRAM': it spreads to 4 x 2 inside it, which version 0.4 says with a level of its own between them "
              "(inter_NAME_spatial): only version 0.3 can say this machine");
    EXPECT_THAT(refusal(loaded("architecture: {storage: [{name: B, instances: 1, entries: 4}], arithmetic: {instances: "
                               "1}}"),
                        MachineForm::hierarchy),
                HasSubstr("'B': it has no class"));
}

TEST(WriteMachine, OddNumbersSurvive) {
    const yaml::Node root = loaded(R"(
variables: {version: 0.4, rows: 48, global_cycle_seconds: 2.5e-10}
components: {version: 0.4, classes: [{name: wire_only, attributes: {}, subcomponents: [], actions: []}]}
architecture:
  version: 0.4
  nodes:
  - !Container {name: odd, attributes: {technology: 32}}
  - !Component {name: DRAM, class: DRAM, attributes: {type: HBM2, width: 128, shared_bandwidth: 7.3}}
  - !Component
    name: glb
    class: SRAM
    energy_scale: 1.5
    attributes: {entries: 1001, datawidth: 12, block_size: 3, n_rd_ports: 2, multiple_buffering: 2, min_utilization: 0.1}
    constraints: {temporal: {factors: ["C<=4"], permutation: [C, "*", K], maximize_dims: null}}
  - !Component
    name: reg
    class: regfile
    subclass: wire_only
    spatial: {meshX: 3, meshY: 5}
    attributes: {depth: 1, width: 17, network_type: "1:N", energy_per_hop: 0.125, addr_gen_energy: 0.01,
                 per_dataspace_bandwidth_consumption_scale: {Outputs: 0.5}}
    constraints: {spatial: {split: 1, permutation: [C, K]}, dataspace: {keep_only: [Outputs]}}
  - !Component {name: mac, class: fpmac, attributes: {energy: 0.3, area: 12.5}}
ERT:
  version: 0.4
  tables: [{name: glb, actions: [{name: read, energy: 1.25}, {name: write, energy: 1.5}, {name: leak, energy: 0.01}]}]
mapper: {algorithm: random}
)");
    const Architecture architecture = read_architecture(root);
    const WrittenMachine file = write_machine(root, architecture, MachineForm::hierarchy);
    EXPECT_EQ(first_difference(architecture, read_architecture(loaded(file.text))), "");
    EXPECT_THAT(file.notes,
                testing::ElementsAre("machine.yaml:27: 'mapper' is no part of a machine and is not written"));
    EXPECT_EQ(refusal(root, MachineForm::tree),
              "'inter_reg_spatial': version 0.3 counts '1' of 'split' without the dimensions of one iteration, which "
              "version 0.4 counts");
}

TEST(WriteMachine, NetworksAndTablesSurvive) {
    const yaml::Node root = loaded(R"(
architecture:
  version: 0.4
  nodes:
  - !Container {name: net, attributes: {technology: "45nm"}}
  - !Component {name: DRAM, class: DRAM, attributes: {width: 64, network_read: noc, network_update: tree}}
  - !Component {name: noc, class: SimpleMulticast, attributes: {datawidth: 8, action_name: go, multicast_factor_argument: n}}
  - !Component {name: tree, class: ReductionTree, attributes: {datawidth: 8, adder_energy: 0.2, wire_energy: 0.5}}
  - !Component {name: reg, class: regfile, attributes: {depth: 4, width: 16, network_fill: noc, network_drain: tree}}
  - !Component {name: mac, class: intmac}
ERT:
  version: 0.4
  tables:
  - {name: noc, actions: [{name: go, arguments: {n: 1}, energy: 1}, {name: go, arguments: {n: 4}, energy: 2.5}]}
  - {name: mac, actions: [{name: compute, energy: 0.7}, {name: leak, energy: 0.001}]}
)");
    for (const MachineForm form : {MachineForm::hierarchy, MachineForm::tree}) {
        const Architecture architecture = read_architecture(root);
        const Architecture again = read_architecture(loaded(write_machine(root, architecture, form).text));
        EXPECT_EQ(first_difference(architecture, again), "");
        EXPECT_EQ(again.memories[0].link.multicast_energy_pj.size(), 2U);
    }
}

}  // namespace
}  // namespace tilewright::timeloop::write_machine_test
