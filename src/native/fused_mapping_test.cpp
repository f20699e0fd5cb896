#include "native/fused_mapping.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fixtures/two_products.hpp"
#include "mapping/fused/text.hpp"

namespace tilewright::native::fused_mapping_test {
namespace {

using testing::HasSubstr;

Architecture two_memories() {
    Architecture architecture;
    for (const char* name : {"DRAM", "Buffer"}) {
        Memory memory;
        memory.name = name;
        architecture.memories.push_back(memory);
    }
    return architecture;
}

constexpr const char* kFile =
    "schema: tilewright-fused-mapping/1\n"
    "fused_mapping:\n"
    "  - {store: DRAM, tensors: [A, V, W, C]}\n"
    "  - {loop: m, step: 2}\n"
    "  - {store: Buffer, tensors: [B], fresh: true}\n"
    "  - split:\n"
    "    - - leaf: up\n"
    "        mapping: [{loop: k, step: 3}, {store: Buffer, tensors: [A]}, {loop: k, step: 1}]\n"
    "    - - {store: Buffer, tensors: [W]}\n"
    "      - leaf: down\n"
    "        boxes:\n"
    "          - {box: {m: 2, \"n\": 3, k: 6}, mapping: [{loop: \"n\", step: 1, across: Y}]}\n"
    "          - {mapping: [{loop: m, step: 1}]}\n";

PlacedFusedMapping read(const std::string& text) {
    return read_fused_mapping(yaml::parse_text(text, "m.yaml"), fixtures::two_products(), two_memories());
}

std::string mistake_in(std::string text, const std::string& from, const std::string& to) {
    text.replace(text.find(from), from.size(), to);
    try {
        read(text);
    } catch (const InputError& error) {
        return error.what();
    }
    return "";
}

TEST(FusedMappingFile, IsReadAndWrittenAsItWas) {
    const PlacedFusedMapping placed = read(kFile);
    EXPECT_EQ(placed.nodes[3], (Location{"m.yaml", 6, 5}));
    EXPECT_EQ(to_text(placed.mapping, fixtures::two_products(), two_memories()),
              "store DRAM: A, V, W, C\n"
              "  for m by 2\n"
              "    fresh store Buffer: B\n"
              "      split\n"
              "        leaf up\n"
              "          for k by 3\n"
              "          store Buffer: A\n"
              "          for k by 1\n"
              "        store Buffer: W\n"
              "          leaf down\n"
              "            box m=2 n=3 k=6\n"
              "            for n by 1 across Y\n"
              "            box\n"
              "            for m by 1\n");
    EXPECT_EQ(write_fused_mapping(placed.mapping, fixtures::two_products(), two_memories()), kFile);
}

TEST(FusedMappingFile, AnotherVersionIsRefused) {
    EXPECT_THAT(
        mistake_in(kFile, "mapping/1", "mapping/2"),
        HasSubstr("m.yaml:1:9: error: expected 'tilewright-fused-mapping/1', found 'tilewright-fused-mapping/2'"));
    EXPECT_EQ(mistake_in(kFile, "schema: tilewright-fused-mapping/1\n", ""), "");
}

TEST(FusedMappingFile, MistakesAreToldAtTheirPlace) {
    EXPECT_THAT(
        mistake_in(kFile, "loop: m", "loop: e"),
        HasSubstr("m.yaml:4:12: error: there is no dimension of 'down', the last einsum inside the loop, called 'e'"));
    EXPECT_THAT(mistake_in(kFile, "store: DRAM", "store: DRAN"),
                HasSubstr("m.yaml:3:13: error: there is no memory 'DRAN'; did you mean 'DRAM'?"));
    EXPECT_THAT(mistake_in(kFile, "[A, V, W, C]", "[A, V, W, Q]"),
                HasSubstr("m.yaml:3:38: error: there is no tensor 'Q'"));
    EXPECT_THAT(mistake_in(kFile, "leaf: up", "leaf: upp"), HasSubstr("there is no einsum 'upp'; did you mean 'up'?"));
    EXPECT_THAT(mistake_in(kFile, "step: 2}", "step: 0}"), HasSubstr("m.yaml:4:21: error:"));
    EXPECT_THAT(mistake_in(kFile, "across: Y", "across: Z"), HasSubstr("expected X or Y, found 'Z'"));
    EXPECT_THAT(mistake_in(kFile, "fresh: true", "stale: true"), HasSubstr("unknown key 'stale'"));
    EXPECT_THAT(mistake_in(kFile, "    - - {store: Buffer, tensors: [W]}\n      - leaf", "    - - leaf"),
                HasSubstr(""));
    EXPECT_THAT(mistake_in(kFile, "  - split:", "  - {store: Buffer, tensors: [A]}\n  - spilt:"),
                HasSubstr("expected a leaf or a split at the end of a branch"));
}

TEST(FusedMappingFile, LeavesMayBeLeftOpen) {
    const std::string text =
        "schema: tilewright-fused-mapping/1\n"
        "fused_mapping:\n"
        "  - {store: DRAM, tensors: [A, V, W, C, B]}\n"
        "  - split:\n"
        "    - - leaf: up\n"
        "    - - leaf: down\n"
        "        mapping: [{loop: m, step: 1}]\n";
    const PlacedFusedMapping placed = read(text);
    EXPECT_TRUE(is_open(std::get<FusedLeaf>(placed.mapping.nodes[2].what)));
    EXPECT_FALSE(is_open(std::get<FusedLeaf>(placed.mapping.nodes[3].what)));
    EXPECT_EQ(write_fused_mapping(placed.mapping, fixtures::two_products(), two_memories()), text);
}

}  // namespace
}  // namespace tilewright::native::fused_mapping_test
