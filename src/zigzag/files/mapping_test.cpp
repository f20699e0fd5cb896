#include "zigzag/files/mapping.hpp"

#include <gtest/gtest.h>

#include "fixtures/zigzag_sample.hpp"
#include "zigzag/accounting/nest.hpp"
#include "zigzag/files/load.hpp"

namespace tilewright::zigzag::mapping_test {
namespace {

using namespace sample;

constexpr const char* kEntries = R"(- name: default
  spatial_mapping:
    D1: ['OY, 6']
    D2: ['K, 4', 'G, 2']
  temporal_ordering:
  - [FX, '*']
  - [C, 2]
  - [FY, 3]
  - [C, 2]
  - [OX, '*']
  - [K, '*']
  memory_operand_links: {O: O, W: I2, I: I1}
- name: Pooling
  spatial_mapping_hint: {D1: [OX], D7: [K]}
)";

class ZigzagMappingReader : public testing::Test {
   protected:
    std::vector<MappingEntry> read(const std::string& text) const {
        return read_mappings(load_text(text, "map.yaml").root, accelerator_);
    }

    std::string mistake(const std::string& text) const {
        try {
            for (const MappingEntry& entry : read(text)) {
                Layer layer = layer_;
                link_operands(entry, layer);
                const ArrayUnrolling unrolling =
                    legal_unrollings(accelerator_, layer, requested_unrolling(entry, layer)).front();
                const SpatialMapping spatial =
                    spatial_mapping(accelerator_, layer, unrolling, UnrollRounding::fractional);
                (void)complete_ordering(entry, layer, spatial);
                (void)temporal_mapping(entry, accelerator_, layer);
            }
        } catch (const InputError& error) {
            return error.what();
        }
        return "";
    }

    void says(const std::string& from, const std::string& to, const std::string& words) const {
        std::string text = kEntries;
        const std::string message = mistake(text.replace(text.find(from), from.size(), to));
        EXPECT_NE(message.find(words), std::string::npos) << message;
    }

    Layer layer_ = convolution({1, 8, 4, 6, 6, 3, 3});
    Accelerator accelerator_ = array_of(6, 4);
};

TEST_F(ZigzagMappingReader, EntriesBelongToLayersTypesOrAll) {
    const std::vector<MappingEntry> entries = read(kEntries);
    EXPECT_EQ(entry_for(entries, layer_)->name, "default");
    layer_.operator_type = "Pooling";
    EXPECT_EQ(entry_for(entries, layer_)->name, "Pooling");
    EXPECT_EQ(requested_unrolling(entries[1], layer_).rows[0], std::nullopt) << "to be chosen";
    EXPECT_EQ(entries[1].hints[0], (std::vector<std::string>{"OX"}));
}

TEST_F(ZigzagMappingReader, DimensionsThatTheLayerLacksUnrollNothing) {
    EXPECT_EQ(legal_unrollings(accelerator_, layer_, requested_unrolling(read(kEntries)[0], layer_)),
              (std::vector<ArrayUnrolling>{{{{OY, 6}}, {{K, 4}}}}));
}

TEST_F(ZigzagMappingReader, AStarTakesWhatIsLeft) {
    const SpatialMapping spatial =
        spatial_mapping(accelerator_, layer_, {{{OY, 6}}, {{K, 4}}}, UnrollRounding::fractional);
    EXPECT_EQ(complete_ordering(read(kEntries)[0], layer_, spatial),
              (LevelLoops{{FX, 3}, {C, 2}, {FY, 3}, {C, 2}, {OX, 6}, {K, 2}}));
}

TEST_F(ZigzagMappingReader, AnIncompleteOrderingPlacesItsLoops) {
    const SpatialMapping spatial =
        spatial_mapping(accelerator_, layer_, {{{OY, 6}}, {{K, 4}}}, UnrollRounding::fractional);
    const auto given = [&](const std::string& ordering) {
        return given_order(
            read("- {name: default, spatial_mapping: {D1: ['OY, 6']}, temporal_ordering: " + ordering + "}").front(),
            layer_, spatial);
    };
    // Temporal iterations: B 1, K 2, C 4, OY 1, OX 6, FY 3, FX 3.
    EXPECT_EQ(given("[[C, 2], [OX, '*']]"), (GivenOrder{{{C, 2}, {OX, {}}}, {}}));
    EXPECT_EQ(given("[[C, 2], ['*', '*'], [OX, '*'], [K, 2]]"), (GivenOrder{{{C, 2}}, {{OX, {}}, {K, 2}}}));
    EXPECT_EQ(given("[[G, '*'], [OY, '*'], [K, 2], [K, '*'], [B, 1]]"), (GivenOrder{{{K, 2}}, {}}))
        << "nothing is left of these";
    EXPECT_TRUE(leaves_sizes_open(read(kEntries)[0]));
    EXPECT_FALSE(
        leaves_sizes_open(read("- {name: a, spatial_mapping: {}, temporal_ordering: [[C, 2], ['*', '*']]}")[0]));
}

TEST_F(ZigzagMappingReader, AnEntryForManyLayersMayOrderDimensionsThatOneLacks) {
    std::vector<MappingEntry> entries = read(kEntries);
    entries[0].ordering.push_back({"G", std::nullopt, entries[0].where});
    const SpatialMapping spatial = spatial_mapping(accelerator_, layer_, {{}, {}}, UnrollRounding::fractional);
    EXPECT_TRUE(complete_ordering(entries[0], layer_, spatial) == std::nullopt);  // OY is not ordered
    entries[0].ordering.push_back({"OY", std::nullopt, entries[0].where});
    EXPECT_TRUE(complete_ordering(entries[0], layer_, spatial).has_value());
}

TEST_F(ZigzagMappingReader, WhatIsWrittenReadsBack) {
    const ArrayUnrolling unrolling{{{OY, 6}}, {{K, 4}}};
    const UnevenMapping mapping{{{{{C, 4}, {FX, 3}}, {{FY, 3}, {OX, 6}}, {{K, 2}}},
                                 {{{C, 4}, {FX, 3}, {FY, 3}}, {{OX, 6}, {K, 2}}},
                                 {{}, {{C, 4}, {FX, 3}, {FY, 3}, {OX, 6}, {K, 2}}, {}}}};
    const std::vector<MappingEntry> entries = read(write_mapping(accelerator_, layer_, unrolling, mapping));
    ASSERT_EQ(entries.size(), 1U);
    EXPECT_EQ(entry_for(entries, layer_), &entries[0]);
    EXPECT_EQ(legal_unrollings(accelerator_, layer_, requested_unrolling(entries[0], layer_)).front(), unrolling);
    EXPECT_EQ(temporal_mapping(entries[0], accelerator_, layer_), mapping);
}

TEST_F(ZigzagMappingReader, LoopsMayBeListsToo) {
    const std::vector<MappingEntry> entries = read(R"(- name: default
  temporal_mapping:
    O: [[[C, 4], [FX, 3]], [[FY, 3]], []]
    W: [[[C, 4]], [['FX', 3], 'FY, 3']]
    I: [[], [[C, 4], [FX, 3], [FY, 3]], []]
)");
    const std::optional<UnevenMapping> mapping = temporal_mapping(entries[0], accelerator_, layer_);
    ASSERT_TRUE(mapping);
    EXPECT_EQ(mapping->operands[1][1], (LevelLoops{{FX, 3}, {FY, 3}}));
}

TEST_F(ZigzagMappingReader, MistakesSayWhereAndWhatWasMeant) {
    says("D2: ['K", "D3: ['K", "map.yaml:4:5: error: the array has no dimension 'D3'; there are D1 and D2");
    says("'OY, 6'", "'OY 6'", "expected a dimension and a factor, such as 'K, 32'");
    says("'OY, 6'", "'OY, 0'", "expected a whole number of at least 1, found '0'");
    says("[FX, '*']", "[FZ, 3]", "layer 'convolution' has no dimension 'FZ'");
    says("[FX, '*']", "['*', 3]", "'*' stands for all other loops: its size is '*', too");
    says("- [FX, '*']", "- ['*', '*']\n  - ['*', '*']", "a second [*, *]");
    says("[C, 2]", "[C, 3]", "map.yaml:7:6: error: the 4 iterations of C that are left do not divide by 3");
    says("W: I2", "W: I3", "'I3' is no memory operand; they are I1, I2 and O");
    says("W: I2, ", "", "memory_operand_links of 'default' does not link operand 'W'");
    says("W: I2", "W: I1", "two operands are linked to the memory operand I1");
    says("name: Pooling", "name: default", "there are two entries named 'default'");
    says("spatial_mapping_hint:", "spatial_mapping_hin:", "did you mean 'spatial_mapping_hint'?");
    says("spatial_mapping_hint: {D1: [OX], D7: [K]}",
         "temporal_mapping: {O: 'rf_o [C4] buffer [] dram []', W: 'rf_w [C4] drum []', I: ''}",
         "column 11 of it: memory 2 of the 2 of operand W is 'dram'");
    says("spatial_mapping_hint: {D1: [OX], D7: [K]}",
         "temporal_mapping: {O: [[], [], []], W: [[], [[C, 4]]], I: [[], [], []]}",
         "operands O and W do not run the same loops in the same order");
}

}  // namespace
}  // namespace tilewright::zigzag::mapping_test
