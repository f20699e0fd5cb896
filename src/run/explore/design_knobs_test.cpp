#include "run/explore/design_knobs.hpp"

#include <gmock/gmock.h>

#include "base/error.hpp"

namespace tilewright::design_knobs_test {
namespace {

using explore::Knob;

std::string mistake_of(const Knob& knob, const std::string& value) {
    try {
        check_search_value(knob, value);
    } catch (const InputError& error) {
        return error.message();
    }
    return "";
}

TEST(DesignKnobs, AnExpressionTakesTheVariableOfEveryPoint) {
    const DesignKnobs knobs =
        design_knobs({{"size", {"1", "2"}, {}}}, {{"buffer.depth", {"size*16"}, {}}, {"net", {"alexnet"}, {}}});
    EXPECT_EQ(knobs.space.size(), 2);
    EXPECT_THAT(knobs.variables, testing::ElementsAre("size"));
    const std::vector<timeloop::Setting> settings = machine_settings(knobs, 1);
    ASSERT_EQ(settings.size(), 1U) << "neither the variable nor the network is of the machine";
    EXPECT_EQ(settings[0].name, "buffer.depth");
    EXPECT_EQ(settings[0].value, "(2)*16");
}

TEST(DesignKnobs, WhatNothingUsesOrNothingCanBeIsRefused) {
    EXPECT_THROW(design_knobs({{"size", {"1"}, {}}}, {{"buffer.depth", {"4"}, {}}}), InputError);
    EXPECT_THROW(design_knobs({{"size", {"1"}, {}}}, {{"buffer.depth", {"size", "4"}, {}}}), InputError);
    EXPECT_THROW(design_knobs({{"size", {"1"}, {}}}, {{"mapper", {"size"}, {}}}), InputError);
}

TEST(DesignKnobs, ValuesThatNoSearchHasAreNamed) {
    EXPECT_EQ(mistake_of({"mapper", {}, {}}, "hybrid"), "");
    EXPECT_THAT(mistake_of({"mapper", {}, {}}, "hybird"), testing::StartsWith("unknown mapper 'hybird'; there are "));
    EXPECT_THAT(mistake_of({"factors", {}, {}}, "rubies"),
                testing::HasSubstr("perfect, ruby, ruby-s, ruby-t and padded"));
    EXPECT_EQ(mistake_of({"seed", {}, {}}, "-1"), "'seed' takes whole numbers of at least 0, found '-1'");
    EXPECT_EQ(mistake_of({"objective", {}, {}}, "speed"), "no objective: 'speed'");
}

}  // namespace
}  // namespace tilewright::design_knobs_test
