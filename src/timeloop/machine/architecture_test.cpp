#include "timeloop/machine/architecture.hpp"

#include <gtest/gtest.h>

#include "base/numbers/checked.hpp"
#include "timeloop/files/load.hpp"

namespace tilewright::timeloop::architecture_test {
namespace {

Architecture machine_in(const std::string& text) { return read_architecture(load_text(text, "arch.yaml")); }

// A flat machine with one buffer between DRAM and 16 units; `buffer`: further attributes of it.
std::string flat(const std::string& buffer, const std::string& rest = "") {
    return "arch:\n"
           "  arithmetic: {name: mac, instances: 16, meshX: 4, word_bits: 8, energy: 2, area: 100}\n"
           "  storage:\n"
           "  - {name: buffer, instances: 4, word_bits: 8, " +
           buffer +
           "}\n"
           "  - {name: DRAM, technology: DRAM, instances: 1, word_bits: 8}\n" +
           rest;
}

const Memory& buffer_of(const Architecture& architecture) { return architecture.memories.at(1); }

Memory buffer(const std::string& attributes, const std::string& rest = "") {
    return buffer_of(machine_in(flat(attributes, rest)));
}

std::string mistake_in(const std::string& text) {
    try {
        (void)machine_in(text);
    } catch (const InputError& error) {
        return std::string(error_code_name(error.code())) + ": " + error.message();
    }
    return "no mistake";
}

TEST(ReadFlat, PutsTheOutermostMemoryFirst) {
    const Architecture machine = machine_in(flat("entries: 64"));
    ASSERT_EQ(machine.memory_count(), 2);
    EXPECT_EQ(machine.memories[0].name, "DRAM");
    EXPECT_TRUE(machine.memories[0].is_dram);
    EXPECT_FALSE(machine.memories[0].reduces);
    EXPECT_FALSE(machine.memories[0].capacity_words);
    EXPECT_EQ(machine.memories[1].capacity_words, 64);
    EXPECT_EQ(machine.memories[1].mesh, (Mesh{4, 1}));
    EXPECT_TRUE(machine.memories[1].reduces);
    EXPECT_EQ(machine.compute.mesh, (Mesh{4, 4}));
    EXPECT_EQ(machine.fanout(1), (Mesh{1, 4}));
    EXPECT_EQ(machine.compute.energy_pj, (Sourced{2.0, "given in arch.yaml:2"}));
    EXPECT_EQ(machine.compute.area_um2, (Sourced{100.0, "given in arch.yaml:2"}));
}

TEST(Attributes, DeriveBlockAndClusterFromTheWidth) {
    EXPECT_EQ(buffer("depth: 16, width: 64").block_words, 8);
    EXPECT_EQ(buffer("depth: 16, width: 64").capacity_words, 128);
    EXPECT_EQ(buffer("depth: 16, width: 64, cluster_size: 4").block_words, 2);
    EXPECT_EQ(buffer("depth: 16, width: 64, block_size: 2").cluster_size, 4);
    EXPECT_EQ(buffer("depth: 16, width: 64, block_size: 2, cluster_size: 4").capacity_words, 32)
        << "the depth counts blocks, not clusters";
    EXPECT_EQ(buffer("depth: 16, memory_width: 64").block_words, 8);
    EXPECT_EQ(buffer("depth: 16, n_words: 3").block_words, 3);
    EXPECT_EQ(buffer("depth: 16, width: 17").block_words, 2) << "a bit is left over";
    EXPECT_EQ(buffer("depth: 16, width: 8, cluster_size: 4").block_words, 1) << "the row of one instance";
}

TEST(Attributes, KnowThreeWaysToGiveACapacity) {
    EXPECT_EQ(buffer("sizeKB: 1").capacity_words, 1024);
    EXPECT_EQ(buffer("sizeKB: 0.5").capacity_words, 512);
    EXPECT_EQ(buffer("entries: 7, depth: 16").capacity_words, 7);
    EXPECT_FALSE(buffer("block_size: 4").capacity_words);
    EXPECT_EQ(buffer("entries: 7, multiple_buffering: 2").usable_words(), 3);
}

TEST(Attributes, OfLevelsThatOnlySpread) {
    EXPECT_TRUE(buffer("entries: 0").spreads_only);
    EXPECT_FALSE(buffer("entries: 1").spreads_only);
}

TEST(Attributes, OfBandwidth) {
    EXPECT_EQ(buffer("entries: 8, bandwidth: 10").read_words_per_cycle, 5.0);
    EXPECT_EQ(buffer("entries: 8, bandwidth: 10, write_bandwidth: 3").write_words_per_cycle, 3.0);
    EXPECT_EQ(buffer("entries: 8, shared_bandwidth: 1.5").shared_words_per_cycle, 1.5);
    EXPECT_FALSE(buffer("entries: 8").read_words_per_cycle);
    const Memory scaled = buffer("entries: 8, per_dataspace_bandwidth_consumption_scale: {Weights: 0.5}");
    EXPECT_EQ(scaled.bandwidth_scale, (std::map<std::string, double>{{"Weights", 0.5}}));
}

TEST(Attributes, OfEnergyAndArea) {
    const Memory given =
        buffer("entries: 8, vector_access_energy: 1.5, cluster_area: 10, cluster_size: 4, addr_gen_energy: 0.1");
    const std::string source = "given in arch.yaml:4";
    EXPECT_EQ(given.energy.read_pj, (Sourced{1.5, source}));
    EXPECT_EQ(given.energy.fill_pj, (Sourced{1.5, source}));
    EXPECT_EQ(given.energy.leak_pj_per_cycle, (Sourced{0.0, source}));
    EXPECT_EQ(given.area_um2, (Sourced{2.5, source}));
    EXPECT_EQ(given.address_energy_pj, 0.1);
    EXPECT_EQ(buffer("entries: 8").energy, MemoryEnergy{}) << "left to an estimator";
}

TEST(Attributes, OfTheInferredNetwork) {
    const Memory memory = buffer(
        "entries: 8, network_word_bits: 16, router_energy: 1, wire_energy: 2, tile_width: 3, "
        "energy_per_hop: 4, network_type: 'M:N', network_fill_latency: 5, network_drain_latency: 6");
    EXPECT_EQ(memory.link.name, "buffer <==> mac");
    EXPECT_FALSE(memory.link.user_defined);
    EXPECT_EQ(memory.link.word_bits, 16);
    EXPECT_EQ(memory.link.router_energy_pj, 1.0);
    EXPECT_EQ(memory.link.wire_energy_pj_per_bit_mm, 2.0);
    EXPECT_EQ(memory.link.tile_width_um, 3.0);
    EXPECT_EQ(memory.link.energy_per_hop_pj, 4.0);
    EXPECT_EQ(memory.link.spread, NetworkSpread::many_to_many);
    EXPECT_EQ(memory.link.fill_latency_cycles, 5);
    EXPECT_EQ(memory.link.drain_latency_cycles, 6);
    EXPECT_EQ(buffer("entries: 8").link.word_bits, 8) << "as wide as the memory's words";
}

TEST(Attributes, DescribeTheGeometryForEstimators) {
    const Geometry given =
        buffer("depth: 16, width: 64, n_banks: 4, num_ports: 2, class: smartbuffer_SRAM, technology: 45").geometry;
    EXPECT_EQ(given, (Geometry{"45nm", "smartbuffer_SRAM", 16, 64, 4, 2, "", 0, 0}));
    const Geometry derived =
        buffer("entries: 30, block_size: 4, cluster_size: 2, n_rd_ports: 2, n_wr_ports: 1").geometry;
    EXPECT_EQ(derived, (Geometry{"", "", 8, 64, 1, 3, "", 0, 0}));
}

const std::string kTree = R"(architecture:
  version: 0.3
  subtree:
  - name: system
    attributes: {technology: 40nm}
    local:
    - name: DRAM
      class: DRAM
      attributes: {type: LPDDR4, word-bits: 16}
    - name: wires
      class: wire
      attributes: {anything: 1}
    subtree:
    - name: PE[0..7]
      local:
      - name: outer
        class: smartbuffer_SRAM
        attributes: {depth: 64, width: 32, datawidth: 16, meshX: 4}
      - name: inner[0..1]
        class: storage
        subclass: regfile
        attributes: {entries: 4, datawidth: 16, meshX: 4}
      - name: mac[0..1]
        class: intmac
        attributes: {datawidth: 16, meshX: 4}
)";

TEST(ReadTree, MultipliesRangesAlongThePath) {
    const Architecture machine = machine_in(kTree);
    ASSERT_EQ(machine.memory_count(), 3);
    EXPECT_EQ(machine.name, "system");
    EXPECT_EQ(machine.memories[1].name, "outer");
    EXPECT_EQ(machine.memories[1].instances, 8);
    EXPECT_EQ(machine.memories[1].mesh, (Mesh{4, 2}));
    EXPECT_EQ(machine.memories[2].instances, 16);
    EXPECT_EQ(machine.memories[2].component_class, "storage");
    EXPECT_EQ(machine.memories[2].geometry.kind, "regfile");
    EXPECT_EQ(machine.compute.instances, 16);
    EXPECT_EQ(machine.technology, "40nm") << "from the subtree around it";
    EXPECT_EQ(machine.memories[0].geometry.dram_type, "LPDDR4");
}

TEST(ReadTables, MatchesTheLastPartOfTheName) {
    const Architecture machine = machine_in(kTree + R"(ERT:
  tables:
  - name: system.PE[0..7].outer
    actions:
    - {name: read, energy: 1.5}
    - {name: random_read, arguments: {a: 1}, energy: 2.5}
    - {name: random_read, arguments: {a: 2}, energy: 3.5}
    - {name: write, energy: 4.5}
    - {name: random_fill, energy: 5.5}
    - {name: leak, energy: 0.5}
  - name: system.PE[0..7].inner[0..1]
    actions: [{name: read, energy: 1}]
  - name: system.PE[0..7].mac
    actions: [{name: mac_random, energy: 7}, {name: compute, energy: 8}]
  - name: system.wire
    actions: [{name: transfer_random, energy: 0.1}]
ART:
  tables:
  - {name: 'system.PE[0..7].outer', area: 0.1}
)");
    const MemoryEnergy& outer = machine.memories[1].energy;
    EXPECT_EQ(outer.read_pj, (Sourced{3.5, "ERT arch.yaml:32"})) << "random_read first, the largest of its entries";
    EXPECT_EQ(outer.fill_pj.value, 5.5);
    EXPECT_EQ(outer.update_pj.value, 4.5) << "no update is listed: write";
    EXPECT_EQ(outer.leak_pj_per_cycle.value, 0.5);
    const MemoryEnergy& inner = machine.memories[2].energy;
    EXPECT_EQ(inner.read_pj.value, 1.0);
    EXPECT_TRUE(inner.fill_pj.source.empty()) << "left to an estimator";
    EXPECT_EQ(inner.leak_pj_per_cycle, (Sourced{0.0, "ERT arch.yaml:36 (lists no leak)"}));
    EXPECT_EQ(machine.compute.energy_pj.value, 7.0);
    EXPECT_EQ(machine.memories[1].area_um2, (Sourced{static_cast<double>(0.1F), "ART arch.yaml:44"}));
    for (const Memory& memory : machine.memories)
        EXPECT_EQ(memory.link.wire_energy_pj_per_bit_mm, static_cast<double>(0.1F)) << "read as a 32-bit float";
}

TEST(ReadTables, GiveWayToTheFilesOwnEnergy) {
    const Memory memory =
        buffer("entries: 8, vector_access_energy: 1",
               "ERT: {tables: [{name: a.buffer, actions: [{name: read, energy: 5}, {name: leak, energy: 1}]}]}\n");
    EXPECT_EQ(memory.energy.read_pj.value, 1.0);
    EXPECT_EQ(memory.energy.leak_pj_per_cycle.value, 0.0);
}

const std::string kNetworks = R"(architecture:
  version: 0.4
  subtree:
  - name: system
    local:
    - {name: DRAM, class: DRAM, attributes: {network_read: down, network_update: up}}
    - {name: down, class: SimpleMulticast, attributes: {datawidth: 8, action_name: send, multicast_factor_argument: n, fill_latency: 3}}
    - {name: up, class: ReductionTree, attributes: {word_bits: 32, adder_energy: 0.2, drain_latency: 4}}
    - {name: both, class: XY_NoC, attributes: {router_energy: 0.5}}
    - {name: buffer, class: SRAM, attributes: {entries: 8, network_fill: down, network_drain: up, network_read: both, network_update: both}}
    - {name: mac, class: intmac, attributes: {network_operand: both, network_result: both}}
ERT:
  tables:
  - {name: system.down, actions: [{name: send, arguments: {n: 1}, energy: 0.5}, {name: send, arguments: {n: 4}, energy: 1.5}]}
)";

TEST(ReadNetworks, ConnectsWhatTheLevelsName) {
    const Architecture machine = machine_in(kNetworks);
    const Link& down = machine.memories[0].link;
    EXPECT_EQ(down.name, "down");
    EXPECT_TRUE(down.user_defined);
    EXPECT_EQ(down.kind, NetworkKind::simple_multicast);
    EXPECT_EQ(down.multicast_energy_pj, (std::map<std::int64_t, double>{{1, 0.5}, {4, 1.5}}));
    EXPECT_EQ(down.fill_latency_cycles, 3);
    ASSERT_TRUE(machine.memories[0].update_link);
    EXPECT_EQ(machine.memories[0].update_link->kind, NetworkKind::reduction_tree);
    EXPECT_EQ(machine.memories[0].update_link->word_bits, 32);
    EXPECT_EQ(machine.memories[0].update_link->adder_energy_pj, 0.2);
    EXPECT_EQ(machine.memories[0].update_link->drain_latency_cycles, 4);
    EXPECT_EQ(machine.memories[1].link.router_energy_pj, 0.5);
    EXPECT_FALSE(machine.memories[1].update_link) << "one network for both directions";
}

TEST(ReadNetworks, SaysWhatDoesNotConnect) {
    const auto with = [](const std::string& from, const std::string& to) {
        std::string text = kNetworks;
        return text.replace(text.find(from), from.size(), to);
    };
    EXPECT_EQ(
        mistake_in(with("network_read: down", "network_read: down2")),
        "bad-value: 'DRAM' has network_read = 'down2', so 'buffer' inside it needs network_fill: down2, found 'down'");
    EXPECT_EQ(mistake_in(with("network_fill: down, ", "")),
              "bad-value: 'DRAM' has network_read = 'down', so 'buffer' inside it needs network_fill: down");
    EXPECT_EQ(mistake_in(with("network_read: down, ", "")),
              "missing-key: 'buffer' has network_fill = 'down', but 'DRAM' around it has no network_read");
    EXPECT_EQ(mistake_in(with("name: down,", "name: down3,")),
              "unknown-name: there is no network 'down'; did you mean 'down3'?");
}

const std::string kHierarchy = R"(variables: {version: 0.4, technology: "65nm", WORD: 8, global_cycle_seconds: 2e-9}
architecture:
  version: 0.4
  nodes:
  - !Container
    name: system
    attributes: {datawidth: WORD, scale: 2}
  - !Component
    name: DRAM
    class: DRAM
    attributes: {width: 64}
  - !Container
    name: column
    spatial: {meshX: 4}
  - !Parallel
    nodes:
    - !Component
      name: weights
      class: storage
      subclass: regfile
      attributes: {depth: 16 * scale, width: datawidth * 2}
    - !Component
      name: psums
      class: storage
      subclass: regfile
      attributes:
        depth: weights.attributes["depth"]
        width: 32
        datawidth: 32
    - !Nothing {constraints: {dataspace: {keep: [Inputs]}}}
  - !Component
    name: mac
    class: intmac
    spatial: {meshX: scale, meshY: 3}
    attributes:
      multiplier_width: WORD
      adder_width: max(WORD, 16)
)";

TEST(ReadHierarchy, FlattensContainersAndGroups) {
    const Architecture machine = machine_in(kHierarchy);
    std::vector<std::string> names;
    for (const Memory& memory : machine.memories) names.push_back(memory.name);
    EXPECT_EQ(names,
              (std::vector<std::string>{"DRAM", "inter_column_spatial", "weights", "psums", "inter_mac_spatial"}));
    EXPECT_EQ(machine.memories[1].mesh, (Mesh{1, 1})) << "the fan-out lies below";
    EXPECT_TRUE(machine.memories[1].spreads_only);
    EXPECT_EQ(machine.memories[2].mesh, (Mesh{4, 1}));
    EXPECT_EQ(machine.memories[4].mesh, (Mesh{4, 1}));
    EXPECT_EQ(machine.compute.mesh, (Mesh{8, 3}));
    EXPECT_EQ(machine.compute.instances, 24);
    EXPECT_EQ(machine.cycle_seconds, 2e-9);
}

TEST(ReadHierarchy, InheritsAndComputesAttributes) {
    const Architecture machine = machine_in(kHierarchy);
    EXPECT_EQ(machine.memories[0].word_bits, 8);
    EXPECT_EQ(machine.memories[0].block_words, 8);
    EXPECT_TRUE(machine.memories[0].reduces) << "the default of version 0.4";
    EXPECT_EQ(machine.memories[2].block_words, 2);
    EXPECT_EQ(machine.memories[2].capacity_words, 64);
    EXPECT_EQ(machine.memories[2].geometry.technology, "65nm") << "from the variables";
    EXPECT_EQ(machine.memories[3].word_bits, 32);
    EXPECT_EQ(machine.memories[3].geometry.depth, 32) << "from another component";
    EXPECT_EQ(machine.compute.geometry.multiplier_bits, 8);
    EXPECT_EQ(machine.compute.geometry.adder_bits, 16);
}

TEST(ReadHierarchy, ResolvesCompoundClasses) {
    const Architecture machine = machine_in(R"(architecture:
  nodes:
  - !Component {name: DRAM, class: DRAM, attributes: {width: 64, datawidth: 8}}
  - !Component {name: ideal, class: storage, subclass: free, attributes: {depth: 1, width: 8, datawidth: 8}}
  - !Component {name: fancy, class: storage, subclass: wrapper, attributes: {depth: 4, width: 8, datawidth: 8, colour: 3}}
  - !Component {name: mac, class: intmac}
components:
  classes:
  - {name: free, subcomponents: []}
  - {name: wrapper, attributes: {colour: must_specify}, subcomponents: [{name: a, class: adder}, {name: b, class: SRAM}]}
)");
    EXPECT_EQ(machine.memories[1].energy.read_pj, (Sourced{0.0, "the class 'free' has no parts"}));
    EXPECT_EQ(machine.memories[2].geometry.kind, "SRAM");
}

TEST(ReadHierarchy, PowerGatesWhatFollows) {
    const Architecture machine = machine_in(R"(architecture:
  nodes:
  - !Component {name: DRAM, class: DRAM, attributes: {width: 64, datawidth: 8}}
  - !Container {name: gated, attributes: {has_power_gating: true}}
  - !Component {name: outer, class: SRAM, attributes: {depth: 4, width: 8, datawidth: 8}}
  - !Component {name: inner, class: SRAM, attributes: {depth: 4, width: 8, datawidth: 8}}
  - !Component {name: mac, class: intmac}
)");
    EXPECT_FALSE(machine.memories[0].power_gated_at);
    EXPECT_EQ(machine.memories[1].power_gated_at, "outer");
    EXPECT_EQ(machine.memories[2].power_gated_at, "outer");
}

std::string nodes(const std::string& more) {
    return "architecture:\n  nodes:\n  - !Component {name: DRAM, class: DRAM, attributes: {width: 64, datawidth: "
           "8}}\n" +
           more + "  - !Component {name: mac, class: intmac}\n";
}

TEST(ReadArchitecture, SaysWhatIsWrong) {
    const auto in_buffer = [](const std::string& attributes) { return flat(attributes); };
    const std::vector<std::pair<std::string, std::string>> cases{
        {"mapping: []\n", "missing-key: the key 'architecture' is missing"},
        {"architecture: 3\n", "wrong-type: expected a map (key: value)"},
        {"architecture: {version: 0.4}\n",
         "missing-key: expected 'nodes' (version 0.4), 'subtree' (versions 0.2 to 0.4) or 'storage' and 'arithmetic'"},
        {"arch: {storage: []}\n", "missing-key: the key 'arithmetic' is missing"},
        {"arch: {arithmetic: {instances: 1}, storage: []}\n", "bad-value: the architecture has no memory"},
        {"arch: {arithmetic: {instances: 1}, storages: [], storage: []}\n",
         "unknown-key: unknown key 'storages'; did you mean 'storage'?"},
        {in_buffer("dept: 12"), "unknown-key: unknown attribute 'dept'; did you mean 'depth'?"},
        {in_buffer("depth: twelve"), "unknown-name: unknown name 'twelve' in 'twelve'"},
        {in_buffer("depth: '12'"), "wrong-type: 'depth' needs a whole number, found '12'"},
        {in_buffer("depth: 1.5"), "wrong-type: 'depth' needs a whole number, found 1.5"},
        {in_buffer("depth: -1"), "bad-value: 'depth' cannot be negative, found -1"},
        {in_buffer("depth: [1]"), "wrong-type: 'depth' needs a whole number, found a list"},
        {in_buffer("depth: 0"),
         "too-small: 'buffer': it cannot hold one word (write 'entries: 0' for a level that only spreads)"},
        {in_buffer("sizeKB: 0.0001"),
         "too-small: 'buffer': it cannot hold one word (write 'entries: 0' for a level that only spreads)"},
        {in_buffer("depth: 8, width: 4"), "too-small: 'buffer': a row of 4 bits cannot hold one word of 8 bits"},
        {in_buffer("depth: 8, width: 8, block_size: 2"),
         "too-small: 'buffer': a row of 8 bits is not a whole number of blocks of 2 x 8 bits"},
        {in_buffer("depth: 8, width: 24, block_size: 2, cluster_size: 2"),
         "bad-value: 'buffer': 'width' is 24, but block_size * word bits * cluster_size = 32"},
        {in_buffer("depth: 8, sizeKB: 1"),
         "bad-value: 'buffer': 'sizeKB' contradicts 'entries' or 'depth': give one of them"},
        {in_buffer("entries: 8, cluster_size: 0"), "bad-value: 'cluster_size' has to be at least 1, found 0"},
        {in_buffer("entries: 8, cluster_size: 3"), "bad-value: 'buffer': 4 instances do not divide into clusters of 3"},
        {in_buffer("entries: 8, datawidth: 16"),
         "bad-value: 'datawidth' (16) contradicts 'word_bits' (8): they are two names of one attribute"},
        {in_buffer("entries: 8, meshX: 3"), "bad-value: 'buffer': 4 instances do not divide into meshX = 3"},
        {in_buffer("entries: 8, meshX: 2, meshY: 3"), "bad-value: 'buffer': meshX * meshY = 6, but it has 4 instances"},
        {in_buffer("entries: 8, meshY: 4, meshX: 1, read_bandwidth: 0"),
         "bad-value: 'buffer': 'read_bandwidth' cannot be 0: nothing would ever arrive"},
        {in_buffer("entries: 8, read_bandwidth: -1"), "bad-value: 'read_bandwidth' has to be at least 0, found -1"},
        {in_buffer("entries: 8, multiple_buffering: -1"),
         "bad-value: 'multiple_buffering' has to be at least 0, found -1"},
        {in_buffer("entries: 8, min_utilization: 2"),
         "bad-value: 'buffer': 'min_utilization' is a share of the capacity, from 0 to 1"},
        {in_buffer("entries: 8, reduction_supported: perhaps"), "wrong-type: expected true or false, found 'perhaps'"},
        {in_buffer("entries: 8, network_type: 'N:M'"), "bad-value: expected 1:1, 1:N or M:N, found 'N:M'"},
        {in_buffer("entries: 8, power_gated_at: bufer"),
         "unknown-level: 'buffer' is power-gated at 'bufer', which is not a memory; did you mean 'buffer'?"},
        {in_buffer("entries: 8, per_dataspace_bandwidth_consumption_scale: {W: -1}"),
         "bad-value: a bandwidth scale cannot be negative"},
        {in_buffer("entries: 99999999999999999999"), "overflow: '99999999999999999999' does not fit in 64 bits"},
        {in_buffer("entries: 9223372036854775807"),
         "overflow: 'buffer': a capacity of more than 2^53 words cannot be counted"},
        {in_buffer("metadata_datawidth: 4"),
         "unsupported: 'metadata_datawidth': here a machine is a dense one (evaluate, compare, explore and map count "
         "zeros); "
         "--dense reads over it"},
        {in_buffer("depth: width, width: depth"), "cyclic-inheritance: the value of 'width' depends on itself"},
        {flat("entries: 8") + "sparse_optimizations: {targets: [1]}\n",
         "unsupported: 'sparse_optimizations': here a machine is a dense one (evaluate, compare, explore and map count "
         "zeros); "
         "--dense reads over it"},
        {flat("entries: 8") + "ERT: {tables: [{name: a.bufer, actions: []}]}\n",
         "unknown-name: the ERT has a table for 'bufer', which the architecture does not have; did you mean 'buffer'?"},
        {flat("entries: 8") + "ERT: {tables: [{name: a.buffer, actions: []}, {name: b.buffer, actions: []}]}\n",
         "duplicate-key: the ERT has two tables for 'buffer'"},
        {flat("entries: 8") + "ART: {tables: [{name: a.buffer, area: -1}]}\n",
         "bad-value: expected a number that is not negative, found '-1'"},
        {"arch: {arithmetic: {instances: 1}, storage: [{name: a, instances: 1}, {name: a, instances: 1}]}\n",
         "duplicate-key: two components are called 'a'"},
        {"arch: {arithmetic: {instances: 1}, storage: [{name: a}]}\n", "missing-key: 'a': 'instances' is missing"},
        {"arch: {arithmetic: {instances: 3}, storage: [{name: a, instances: 2}]}\n",
         "bad-value: the mesh of '__ARITH__' (3 x 1) is not a multiple of the mesh of 'a' around it (2 x 1)"},
        {"architecture: {subtree: [{name: a}, {name: b}]}\n",
         "unsupported: a subtree needs exactly one branch, found 2"},
        {"architecture: {subtree: [{name: a, local: [{name: b, class: SRAMM}, {name: c, class: gadget}]}]}\n",
         "unknown-name: unknown class 'gadget': a memory's class contains DRAM, SRAM, regfile, smartbuffer or storage, "
         "a compute "
         "unit's contains mac or compute, a network's contains XY_NoC, Legacy, ReductionTree or SimpleMulticast"},
        {"architecture: {subtree: [{name: 'a[3..1]'}]}\n",
         "bad-value: expected a range like 'name[0..15]', found 'a[3..1]'"},
        {"architecture: {subtree: [{name: 'a[0..9223372036854775807]'}]}\n",
         "overflow: 'a[0..9223372036854775807]' would be more than 2^40 instances"},
        {"architecture: {subtree: [{name: a, local: [{name: m, class: mac}, {name: n, class: mac}]}]}\n",
         "unsupported: a second compute unit, 'n' beside 'm', is not supported"},
        {nodes("  - {name: a}\n"),
         "wrong-type: a node without a tag; expected one of !Container, !Component, !Parallel, !Hierarchical, "
         "!Nothing, !Passage and !CellArray"},
        {nodes("  - !Componet {name: a}\n"),
         "wrong-type: unknown tag '!Componet'; did you mean '!Component'?; expected one of !Container, !Component, "
         "!Parallel, "
         "!Hierarchical, !Nothing, !Passage and !CellArray"},
        {nodes("  - !Pipelined {nodes: []}\n"), "unsupported: !Pipelined: pipelined groups are not supported"},
        {nodes("  - !Container {name: a, spatial: {meshZ: 3}}\n"),
         "unknown-key: unknown key 'meshZ'; did you mean 'meshX'?"},
        {nodes("  - !Container {name: a, spatial: {meshX: 0}}\n"), "bad-value: 'meshX' has to be at least 1, found 0"},
        {nodes("  - !Container {name: a, attributes: {speed: 3}}\n"), "unknown-key: unknown attribute 'speed'"},
        {"architecture: {version: 0.5, nodes: []}\n",
         "unsupported: version 0.5 of this form is not supported; known is 0.4"},
        {"architecture: {version: 1, subtree: []}\n",
         "unsupported: version 1 of this form is not supported; known is 0.2, 0.3 and 0.4"},
        {nodes("  - !Component {name: s, class: SRAM, attributes: {entries: 4, meshX: 2}}\n"),
         "bad-value: 'meshX' is no attribute in a hierarchy: 'spatial: {meshX: .., meshY: ..}' says how many there "
         "are"},
        {"architecture: {subtree: [{name: a, local: [{name: b, class: SRAM, constraints: {}}]}]}\n",
         "unknown-key: unknown key 'constraints'"},
        {nodes("  - !Container {name: a, networks: [x]}\n"),
         "unsupported: networks inside a container are not supported"},
        {nodes("  - !Component {name: a, class: SRAM, sparse_optimizations: {x: 1}}\n"),
         "unsupported: 'sparse_optimizations': here a machine is a dense one (evaluate, compare, explore and map count "
         "zeros); "
         "--dense reads over it"},
        {nodes("  - !Component {name: m, class: mac}\n"),
         "unsupported: a second compute unit, 'mac' beside 'm', is not supported"},
        {nodes(
             "  - !Component {name: m, class: mac}\n  - !Component {name: s, class: SRAM, attributes: {entries: 4}}\n"),
         "unsupported: the memory 's' lies inside the compute unit 'm': compute units come last"},
        {nodes("  - !Parallel {nodes: [!Parallel {nodes: []}]}\n"),
         "unsupported: a !Parallel group inside another one is not supported"},
        {nodes("  - !Parallel {nodes: [!Component {name: s, class: SRAM, spatial: {meshX: 2}}]}\n"),
         "unsupported: a fan-out inside a !Parallel group is not supported"},
        {nodes("  - !Component {name: s, class: storage, subclass: x, attributes: {depth: 1}}\n") +
             "components: {classes: [{name: x, subcomponents: [{name: a, class: storage_y}]}, {name: storage_y, "
             "subcomponents: [{name: b, class: x}]}]}\n",
         "cyclic-inheritance: the class 'x' is made of itself"},
        {nodes("  - !Component {name: d2, class: DRAM, attributes: {width: 64, block_size: 1, datawidth: 8}}\n"),
         "bad-value: 'd2': a DRAM cannot be clustered, but cluster_size is 8"},
        {nodes("  - !Container {name: a, spatial: {meshX: 4294967296, meshY: 4294967296}}\n"),
         "overflow: 'a' would make more than 2^40 instances"},
    };
    for (const auto& [text, message] : cases) {
        std::string found;
        try {
            found = mistake_in(text);
        } catch (const OverflowError&) {
            found = "overflow";
        }
        EXPECT_EQ(found, message) << text;
    }
}

TEST(ReadArchitecture, RefusesMoreMemoriesThanTheModelHolds) {
    std::string text = "arch:\n  arithmetic: {instances: 1}\n  storage:\n";
    for (int i = 0; i <= kMaxMemories; ++i) text += "  - {name: m" + std::to_string(i) + ", instances: 1}\n";
    EXPECT_EQ(mistake_in(text), "unsupported: more than 16 memories are not supported");
}

TEST(ReadArchitecture, PointsAtTheMistake) {
    try {
        (void)machine_in(kTree + "ERT: {tables: [{name: a.outr, actions: []}]}\n");
        FAIL() << "was read";
    } catch (const InputError& error) {
        EXPECT_EQ(error.where(), (Location{"arch.yaml", 26, 23}));
    }
}

}  // namespace
}  // namespace tilewright::timeloop::architecture_test
