// A small set of ZigZag's numbers that stands alone (tests/golden/zigzag). The full set is run by golden where
// ../shared exists.
#include <gtest/gtest.h>

#include "cases.hpp"
#include "zigzag_case.hpp"

namespace tilewright::golden::zigzag_facts_test {
namespace {

const std::filesystem::path kFacts = "tests/golden/zigzag";

TEST(ZigzagFacts, EveryCaseGivesZigzagsNumbers) {
    const std::vector<std::filesystem::path> cases = zigzag_cases_in(kFacts);
    EXPECT_EQ(cases.size(), 12U);
    for (const auto& path : cases) {
        const Differences differences = check_zigzag_case(path);
        EXPECT_TRUE(differences.empty()) << path.filename() << ": " << to_text(differences.all(), 10);
    }
}

/// What the comparison says when `pointer` of a recorded case is one more than it was.
std::string differences_after_change(const std::string& pointer) {
    const ZigzagInputs inputs = read_zigzag_inputs(kFacts / "0088");
    const zigzag::Result result =
        zigzag::evaluate(inputs.accelerator, inputs.layer,
                         zigzag::spatial_pair(inputs.accelerator, inputs.layer, inputs.unrolling), inputs.mapping);
    nlohmann::json expected = read_json(kFacts / "0088", "expected.json").value();
    nlohmann::json& value = expected.at(nlohmann::json::json_pointer(pointer));
    value = value.get<double>() + 1.0;
    Differences differences;
    compare_zigzag(result, inputs, expected, differences);
    return to_text(differences.all(), 10);
}

TEST(ZigzagFacts, AWrongNumberIsNoticed) {
    for (const char* pointer : {"/energy/total", "/energy/per_operand_level/W/1", "/latency/temporal_stall",
                                "/latency/data_onloading", "/memory_word_access/I/1/rd_out_to_low",
                                "/memory_utilization/effective_shared/O/0", "/mac_utilization/with_stall"})
        EXPECT_NE(differences_after_change(pointer), "") << pointer;
}

TEST(ZigzagFacts, NegativeOnloadingIsCopied) {
    const ZigzagInputs inputs = read_zigzag_inputs(kFacts / "0088");
    const zigzag::Result result =
        zigzag::evaluate(inputs.accelerator, inputs.layer,
                         zigzag::spatial_pair(inputs.accelerator, inputs.layer, inputs.unrolling), inputs.mapping);
    EXPECT_LT(result.latency.onloading_cycles, 0.0);
}

}  // namespace
}  // namespace tilewright::golden::zigzag_facts_test
