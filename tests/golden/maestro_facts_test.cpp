// Recorded answers of the public MAESTRO, cases that show its faults among them: its CSV byte by byte, or how it ends.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "maestro/account/printed.hpp"
#include "maestro_case.hpp"

namespace tilewright::golden::maestro_facts_test {
namespace {

TEST(MaestroFacts, AnswersAsRecorded) {
    std::ifstream file("tests/golden/maestro/facts.json");
    const nlohmann::json facts = nlohmann::json::parse(file);
    EXPECT_GE(facts.size(), 30U);
    for (const nlohmann::json& fact : facts) {
        const std::string id = fact.at("id");
        const maestro::ToolHardware hardware =
            maestro_hardware(fact.at("hardware").get<std::string>(), fact.at("args"));
        const MaestroAnswer answer = maestro_answer(fact.at("mapping").get<std::string>(), hardware);
        if (fact.contains("ending")) {
            ASSERT_TRUE(answer.result.refused) << id;
            // Where the public reader crashes, ours names the mistake.
            if (!answer.result.refused->layer.empty()) {
                EXPECT_EQ(std::string(ending_text(answer.result.refused->ending)), fact["ending"].get<std::string>())
                    << id;
            }
            continue;
        }
        ASSERT_FALSE(answer.result.refused) << id << answer.result.refused->reason;
        const std::string text = maestro::csv(answer.network, answer.result, hardware);
        EXPECT_EQ(text.substr(text.find('\n') + 1), fact.at("csv").get<std::string>()) << id;
        EXPECT_EQ(maestro::warnings(answer.result, hardware), fact.at("warnings").get<std::vector<std::string>>())
            << id;
    }
}

}  // namespace
}  // namespace tilewright::golden::maestro_facts_test
