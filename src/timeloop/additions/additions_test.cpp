#include "timeloop/additions/additions.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"

namespace tilewright::timeloop::vector_unit_test {
namespace {

using testing::HasSubstr;

constexpr const char* kUnit = R"(vector_unit:
  memory: glb
  add: {energy: 0.1, per_cycle: 64}
  multiply: {energy: 0.2, per_cycle: 64}
  divide: {energy: 0.8, per_cycle: 16}
  exponential: {energy: 1.2, per_cycle: 8}
)";

Architecture machine() {
    Architecture architecture;
    for (const char* name : {"DRAM", "glb"}) {
        Memory memory;
        memory.name = name;
        architecture.memories.push_back(memory);
    }
    return architecture;
}

std::string changed(const std::string& from, const std::string& to) {
    std::string text = kUnit;
    return text.replace(text.find(from), from.size(), to);
}

std::string mistake(const std::string& text) {
    try {
        read_vector_unit(yaml::parse_text(text, "m.yaml"), machine());
    } catch (const InputError& error) {
        return std::to_string(error.where().line) + ":" + std::to_string(error.where().column) + " " + error.message();
    }
    return "";
}

TEST(VectorUnitFile, RatesByClass) {
    const auto unit = read_vector_unit(yaml::parse_text(kUnit), machine());
    ASSERT_TRUE(unit);
    EXPECT_EQ(unit->memory, "glb");
    EXPECT_EQ(unit->rate(OperationClass::exponential), (VectorRate{1.2, 8}));
    EXPECT_DOUBLE_EQ(unit->rate(OperationClass::multiply_add).per_cycle, 32);
    EXPECT_FALSE(read_vector_unit(yaml::parse_text("architecture: {}"), machine()));
}

TEST(VectorUnitFile, MistakesAreLocated) {
    EXPECT_THAT(mistake(changed("memory: glb", "memory: gbl")), HasSubstr("2:11 the vector unit works on 'gbl'"));
    EXPECT_THAT(mistake(changed("exponential", "exponentail")), HasSubstr("6:3"));
    EXPECT_THAT(mistake(changed("  divide: {energy: 0.8, per_cycle: 16}\n", "")), HasSubstr("divide"));
    EXPECT_THAT(mistake(changed("per_cycle: 16", "per_cycle: 0")), HasSubstr("5:36 expected more than 0"));
    EXPECT_THAT(mistake(changed("energy: 0.8", "energy: -1")), HasSubstr("5:20 an energy is not negative"));
    EXPECT_THAT(mistake(changed("energy: 0.8", "energy: much")), HasSubstr("5:20"));
}

}  // namespace
}  // namespace tilewright::timeloop::vector_unit_test
