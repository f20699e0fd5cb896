#include "mapping/fused/validity.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fixtures/two_products.hpp"
#include "mapping/fused/text.hpp"

namespace tilewright::fused_validity_test {
namespace {

using testing::HasSubstr;

Architecture machine() {
    Architecture architecture;
    for (const char* name : {"DRAM", "Buffer", "Lanes"}) {
        Memory memory;
        memory.name = name;
        architecture.memories.push_back(memory);
    }
    architecture.memories[2].instances = 2;
    architecture.memories[2].mesh = {2, 1};
    architecture.compute.instances = 2;
    architecture.compute.mesh = {2, 1};
    return architecture;
}

std::string problem_of(const std::string& text) {
    const Cascade cascade = fixtures::two_products();
    const PlacedFusedMapping placed = parse_fused_mapping(text, cascade, machine(), "m.fused");
    const std::vector<FusedViolation> violations = check_fused(cascade, machine(), placed.mapping);
    return violations.empty() ? "" : placed_text(violations.front(), placed);
}

std::string mistake_in(const std::string& text) {
    try {
        parse_fused_mapping(text, fixtures::two_products(), machine(), "m.fused");
    } catch (const InputError& error) {
        return error.what();
    }
    return "";
}

TEST(FusedValidity, ASoundMappingHasNoViolations) {
    EXPECT_EQ(problem_of("store DRAM: A, V, W, C\n"
                         "  for m by 2\n"
                         "    store Buffer: B\n"
                         "      split\n"
                         "        leaf up\n"
                         "        leaf down\n"),
              "");
    EXPECT_EQ(problem_of("store DRAM: A, V, W, C\n"
                         "  store Buffer: C\n"
                         "    for k by 2\n"
                         "      store Buffer: B\n"
                         "        split\n"
                         "          leaf up\n"
                         "          leaf down\n"),
              "");
}

TEST(FusedValidity, EveryViolationIsToldAtItsPlace) {
    EXPECT_EQ(problem_of("store DRAM: A, V, W, C, B\n  leaf up\n"), "m.fused: einsum 'down' has no leaf");
    EXPECT_EQ(problem_of("store DRAM: A, V, W, C, B\n"
                         "  split\n"
                         "    leaf down\n"
                         "    leaf up\n"),
              "m.fused:3:5: tensor 'B' is read by 'down' before 'up' writes it");
    EXPECT_EQ(problem_of("store DRAM: A, V, W, C\n"
                         "  split\n"
                         "    store Buffer: B\n"
                         "      leaf up\n"
                         "    leaf down\n"),
              "m.fused:5:5: no store holds tensor 'B' on the way to 'down'");
    EXPECT_EQ(problem_of("store DRAM: A, V, W, C\n"
                         "  split\n"
                         "    store Buffer: B\n"
                         "      leaf up\n"
                         "    store Buffer: B\n"
                         "      leaf down\n"),
              "m.fused:3:5: the store of tensor 'B' in Buffer stands outside its readers: 'down' is not inside it");
    EXPECT_EQ(problem_of("store DRAM: A, V, W, C, B\n"
                         "  split\n"
                         "    store Buffer: W\n"
                         "      leaf up\n"
                         "    leaf down\n"),
              "m.fused:3:5: the store of tensor 'W' in Buffer stands outside its readers: nothing inside it reads or "
              "writes the tensor");
    EXPECT_THAT(problem_of("store DRAM: A, V, W\n"
                           "  for k by 2\n"
                           "    store DRAM: C, B\n"
                           "      split\n"
                           "        leaf up\n"
                           "        leaf down\n"),
                HasSubstr("m.fused:3:5: tensor 'C' (output) needs a store in DRAM outside all loops"));
    EXPECT_EQ(problem_of("store DRAM: A, V, W, C\n"
                         "  split\n"
                         "    store Buffer: B\n"
                         "      split\n"
                         "        for e by 1\n"
                         "          leaf up\n"
                         "        leaf down\n"),
              "");
    EXPECT_EQ(problem_of("store DRAM: A, V, W, C\n"
                         "  store Lanes: B\n"
                         "    split\n"
                         "      leaf up\n"
                         "      leaf down\n"),
              "m.fused:2:3: a shared store stands in a memory of one instance; Lanes has 2");
    EXPECT_EQ(problem_of("store DRAM: A, V, W, C, B\n"
                         "  split\n"
                         "    store Buffer: B\n"
                         "      leaf up\n"
                         "        store Buffer: B\n"
                         "    leaf down\n"),
              "m.fused:4:7: leaf 'up' stores 'B' in Buffer, but a shared store holds it in Buffer already");
}

TEST(FusedValidity, AReductionThatIsFinishedTooLate) {
    const Cascade cascade = fixtures::two_products();
    const PlacedFusedMapping placed = parse_fused_mapping(
        "store DRAM: A, V, W\n"
        "  for k by 2\n"
        "    store DRAM: C, B\n"
        "      split\n"
        "        leaf up\n"
        "        leaf down\n",
        cascade, machine(), "m.fused");
    const std::vector<FusedViolation> violations = check_fused(cascade, machine(), placed.mapping);
    ASSERT_FALSE(violations.empty());
    EXPECT_EQ(placed_text(violations.back(), placed),
              "m.fused:3:5: the reduction over k is finished too late: its loop stands outside the outermost store of "
              "'C'");
}

TEST(FusedText, MistakesAreToldAtTheirPlace) {
    EXPECT_THAT(mistake_in(""), HasSubstr("m.fused: error: expected a store, loop, split or leaf"));
    EXPECT_THAT(mistake_in("store DRAN: A\n  leaf up\n"),
                HasSubstr("m.fused:1:7: error: 'DRAN': there is no such memory; did you mean 'DRAM'?"));
    EXPECT_THAT(mistake_in("store DRAM: AA\n  leaf up\n"),
                HasSubstr("m.fused:1:13: error: 'AA': there is no such tensor"));
    EXPECT_THAT(mistake_in("store DRAM: A\n  leaf pu\n"),
                HasSubstr("m.fused:2:8: error: 'pu': there is no such einsum"));
    EXPECT_THAT(mistake_in("store DRAM: A\n  for x by 2\n    leaf up\n"),
                HasSubstr("m.fused:2:7: error: 'x': there is no such dimension of 'up', the last einsum inside"));
    EXPECT_THAT(mistake_in("store DRAM: A\n  for m by 0\n    leaf up\n"),
                HasSubstr("m.fused:2:12: error: '0': expected at least 1"));
    EXPECT_THAT(mistake_in("store DRAM: A\n  for m by 2\n"), HasSubstr("there is no leaf inside the loop"));
    EXPECT_THAT(mistake_in("store DRAM: A\n"), HasSubstr("m.fused:1:1: error: a branch ends without a leaf"));
    EXPECT_THAT(mistake_in("split\n  leaf up\n  leaf up\n"),
                HasSubstr("m.fused:3:3: error: einsum 'up' has two leaves"));
    EXPECT_THAT(mistake_in("store DRAM: A\n  leaf up\n  leaf down\n"),
                HasSubstr("m.fused:3:3: error: 'leaf': stands at no place"));
    EXPECT_THAT(mistake_in("\tsplit\n"), HasSubstr("m.fused:1:1: error: tabs do not say how deep a line stands"));
    EXPECT_THAT(mistake_in("leaf up\n  for m by 2 across Z\n"),
                HasSubstr("m.fused:2:21: error: 'Z': expected 'X' or 'Y'"));
    EXPECT_THAT(mistake_in("leaf up now\n"), HasSubstr("m.fused:1:9: error: 'now': expected the end of the line"));
    EXPECT_THAT(mistake_in("leaf \"up\n"), HasSubstr("expected a closing"));
}

}  // namespace
}  // namespace tilewright::fused_validity_test
