#include "zigzag/files/stream.hpp"

#include <gmock/gmock.h>

#include <fstream>

#include "base/error.hpp"
#include "zigzag/files/load.hpp"
#include "zigzag/files/mapping.hpp"

namespace tilewright::zigzag::stream_test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

constexpr const char* kCore = R"(name: small
type: compute
operator_types: [Conv]
operational_array: {dimensions: [D1, D2], sizes: [4, 2], unit_energy: 0.5}
memories:
  sram:
    size: 4096
    r_bw: 8
    w_bw: 8
    r_cost: 0.1
    w_cost: 0.2
    area: null
    operands: [I1, I2, O]
    ports:
    - {name: rw, type: read_write, bandwidth_min: 8, bandwidth_max: 16, allocation: ['I1, tl', 'I1, fh', 'I2, tl', 'O, fl']}
    served_dimensions: [D1, D2]
dataflows:
  D1: ['K, 4']
)";

constexpr const char* kMapping = R"(layers:
- name: Conv
  core_allocation: [[0, 1]]
  inter_core_tiling: [[{dim: D6, split: 2}]]
- name: Gemm
  core_allocation: [0]
  spatial_mapping: {D2: ['C, 2']}
fused_groups:
- {name: Fused_Group_1, layers: [Conv]}
)";

template <class Act>
std::string mistake(Act act) {
    try {
        act();
    } catch (const InputError& error) {
        return error.what();
    }
    return "no error";
}

/// A folder with a two-core machine, its files in different places.
class Machine : public testing::Test {
   protected:
    void SetUp() override {
        folder_ = std::filesystem::path(testing::TempDir()) / "stream_test" / "soc";
        std::filesystem::create_directories(folder_ / "cores");
        std::ofstream(folder_ / "cores" / "small.yaml") << kCore;
        std::ofstream(folder_.parent_path() / "other.yaml") << kCore;
    }
    yaml::Node machine(const std::string& cores) const {
        return yaml::parse_text("name: soc\ncores: " + cores + "\n", (folder_ / "soc.yaml").string());
    }
    std::filesystem::path folder_;
};

TEST_F(Machine, ACoreIsChosenByItsNumberOrName) {
    for (const char* cores : {"{0: small.yaml, 1: other.yaml}", "[small.yaml, other.yaml]"}) {
        const yaml::Node root = machine(cores);
        ASSERT_TRUE(is_machine_of_cores(root));
        EXPECT_EQ(file_of_core(root, "0"), folder_ / "cores" / "small.yaml");
        EXPECT_EQ(file_of_core(root, "small"), folder_ / "cores" / "small.yaml");
        EXPECT_EQ(file_of_core(root, "1"), folder_.parent_path() / "other.yaml") << "from a folder above";
    }
}

TEST_F(Machine, WhatIsNoChoiceIsRefusedWithAllChoices) {
    const yaml::Node root = machine("[small.yaml, gone.yaml]");
    EXPECT_THAT(mistake([&] { file_of_core(root, ""); }),
                HasSubstr("soc.yaml:2:9: error: a machine of several cores (Stream) is not supported: give the file of "
                          "one core, or choose it with --core: 0 (small) and 1 (gone)"));
    EXPECT_THAT(mistake([&] { file_of_core(root, "2"); }), HasSubstr("there is no core '2'; there are 0 (small) and"));
    EXPECT_THAT(mistake([&] { file_of_core(root, "gone"); }), HasSubstr("there is no file 'gone.yaml'"));
}

TEST_F(Machine, CoresOfOtherThingsAreNone) {
    EXPECT_FALSE(is_machine_of_cores(machine("4")));
    EXPECT_FALSE(is_machine_of_cores(machine("[]")));
    EXPECT_FALSE(is_machine_of_cores(machine("[1, 2]")));
}

TEST(Stream, CoresOfOtherKindsAreNamed) {
    const yaml::Node aie = yaml::parse_text("name: tile\ntype: aie2.compute\nmemory: {capacity: 8}\n", "tile.yaml");
    EXPECT_THAT(mistake([&] { refuse_other_kinds_of_core(aie); }),
                StartsWith("tile.yaml:2:7: error: a core of Stream of the kind 'aie2.compute'"));
    refuse_other_kinds_of_core(yaml::parse_text(kCore));
    refuse_other_kinds_of_core(yaml::parse_text("type: x\narchitecture: {}\nmemory: {}\n"));
}

TEST(Stream, ACoreIsAMachine) {
    const Document document = load_text(kCore, "core.yaml");
    EXPECT_TRUE(document.of_several_cores);
    const Accelerator accelerator = read_accelerator(document.root);
    ASSERT_EQ(accelerator.memories.size(), 1U);
    EXPECT_EQ(accelerator.memories[0].ports.at(0).bandwidth_max_bits, 16) << "named ports say it, r_bw does not";
    ASSERT_EQ(document.notes.size(), 1U);
    for (const char* key : {"'type'", "'operator_types'", "'r_bw'", "'w_bw'"})
        EXPECT_THAT(document.notes[0], HasSubstr(key));
}

TEST(Stream, AMappingToCoresLeavesTheArrayToTheCoresDataflows) {
    const Document core = load_text(kCore);
    const Document mapping = load_text(kMapping, "mapping.yaml");
    EXPECT_TRUE(mapping.of_several_cores);
    const Accelerator accelerator = read_accelerator(core.root);
    EXPECT_EQ(read_mappings(mapping.root, accelerator).at(0).spatial,
              (std::vector<std::optional<std::vector<NamedFactor>>>(2)));
    const auto entries = read_mappings(with_dataflows(mapping.root, core.root), accelerator);
    ASSERT_EQ(entries.size(), 2U);
    EXPECT_EQ(entries[0].spatial[0], (std::vector<NamedFactor>{{"K", 4}}));
    EXPECT_FALSE(entries[0].spatial[1]);
    EXPECT_FALSE(entries[1].spatial[0]) << "this entry has an array of its own";
    EXPECT_EQ(entries[1].spatial[1], (std::vector<NamedFactor>{{"C", 2}}));
    ASSERT_EQ(mapping.notes.size(), 1U);
    EXPECT_THAT(mapping.notes[0], HasSubstr("'fused_groups' (mapping.yaml:8)"));
}

TEST(Stream, MisspeltKeysOfAMappingAreRefused) {
    EXPECT_THAT(
        mistake([] { load_text("layers: [{name: Conv, core_allocation: [0], intra_core_tilin: []}]", "m.yaml"); }),
        HasSubstr("unknown key 'intra_core_tilin'; did you mean 'intra_core_tiling'?"));
}

}  // namespace
}  // namespace tilewright::zigzag::stream_test
