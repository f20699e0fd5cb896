#include "explore/space.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tilewright::explore::space_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const Location kWhere{"--set a=..."};

std::string message_of(const std::string& text) {
    try {
        static_cast<void>(parse_knob(text, kWhere));
    } catch (const InputError& error) {
        return error.message();
    }
    return "";
}

TEST(Values, ListsSuffixesAndRanges) {
    EXPECT_THAT(parse_values("4k,8K,1M", kWhere), ElementsAre("4096", "8192", "1048576"));
    EXPECT_THAT(parse_values("64..512*2", kWhere), ElementsAre("64", "128", "256", "512"));
    EXPECT_THAT(parse_values("64..500*2", kWhere), ElementsAre("64", "128", "256"));
    EXPECT_THAT(parse_values("8..32+8", kWhere), ElementsAre("8", "16", "24", "32"));
    EXPECT_THAT(parse_values("1..3,10", kWhere), ElementsAre("1", "2", "3", "10"));
    EXPECT_THAT(parse_values("0.1..0.3+0.1", kWhere), ElementsAre("0.1", "0.2", "0.3"));
    EXPECT_THAT(parse_values("1k..4k*2", kWhere), ElementsAre("1024", "2048", "4096"));
    EXPECT_THAT(parse_values("45nm,65nm", kWhere), ElementsAre("45nm", "65nm"));
    EXPECT_THAT(parse_values("../a.onnx,b.onnx", kWhere), ElementsAre("../a.onnx", "b.onnx"));
}

TEST(Values, ARangeReachesItsEndOnBothSidesOfZero) {
    EXPECT_THAT(parse_values("-1..-0.7+0.1", kWhere), ElementsAre("-1", "-0.9", "-0.8", "-0.7"));
    EXPECT_THAT(parse_values("-0.3..0.3+0.1", kWhere), ElementsAre("-0.3", "-0.2", "-0.1", "0", "0.1", "0.2", "0.3"));
    EXPECT_THAT(parse_values("-0.6..0+0.2", kWhere), ElementsAre("-0.6", "-0.4", "-0.2", "0"));
    EXPECT_EQ(parse_values("-1..-0.1+0.1", kWhere).back(), "-0.1");
    EXPECT_EQ(parse_values("-3..0.05+0.1", kWhere).back(), "0");
    for (int last = -50; last <= 50; ++last) {
        const std::string end = canonical_value(std::to_string(last / 10.0).substr(0, last < 0 ? 4 : 3));
        EXPECT_EQ(parse_values("-7.." + end + "+0.1", kWhere).back(), end);
    }
}

TEST(Values, CommasBetweenArgumentsEndNothing) {
    EXPECT_THAT(parse_values("max(side, 4),8", kWhere), ElementsAre("max(side, 4)", "8"));
}

TEST(Values, TwoSpellingsOfOneNumberAreOneValue) {
    EXPECT_EQ(canonical_value("4k"), canonical_value("4096.0"));
    EXPECT_THAT(message_of("a=4k,4096"), HasSubstr("'4096' is given twice"));
}

TEST(Values, WhatIsNoRangeSaysSo) {
    EXPECT_THAT(message_of("a=512..64*2"), HasSubstr("an empty range: 512 is more than 64"));
    EXPECT_THAT(message_of("a=1..8*1"), HasSubstr("has no end"));
    EXPECT_THAT(message_of("a=0..8*2"), HasSubstr("has no end"));
    EXPECT_THAT(message_of("a=1..8+0"), HasSubstr("has no end"));
    EXPECT_THAT(message_of("a=1..x"), HasSubstr("expected a range"));
    EXPECT_THAT(message_of("a=1..2000000"), HasSubstr("more than 1000000 values"));
    EXPECT_THAT(message_of("a=1,,2"), HasSubstr("a value is empty"));
    EXPECT_THAT(message_of("a"), HasSubstr("expected NAME=VALUES"));
    EXPECT_THAT(message_of("=1"), HasSubstr("expected NAME=VALUES"));
}

TEST(Space, EveryPointIsAnotherChoiceAndTheLastKnobIsTheFastest) {
    const Space space({parse_knob("a=1,2", kWhere), parse_knob("b=x,y,z", kWhere)});
    ASSERT_EQ(space.size(), 6);
    std::vector<std::string> points;
    for (Point point = 0; point < space.size(); ++point) points.push_back(point_text(space, point));
    EXPECT_THAT(points, ElementsAre("a=1, b=x", "a=1, b=y", "a=1, b=z", "a=2, b=x", "a=2, b=y", "a=2, b=z"));
}

TEST(Space, WithoutKnobsThereIsOnePoint) { EXPECT_EQ(Space(std::vector<Knob>{}).size(), 1); }

TEST(Space, BeyondTwoToThe63AndDoubleKnobsAreRefused) {
    std::vector<Knob> knobs;
    for (const char* name : {"a", "b", "c", "d"})
        knobs.push_back(parse_knob(std::string(name) + "=1..100000", {std::string("--set ") + name}));
    try {
        static_cast<void>(Space(knobs));
        FAIL();
    } catch (const InputError& error) {
        EXPECT_EQ(error.where().file, "--set a");
        EXPECT_EQ(error.code(), ErrorCode::overflow);
    }
    EXPECT_THROW(Space({parse_knob("a=1", kWhere), parse_knob("a=2", kWhere)}), InputError);
}

}  // namespace
}  // namespace tilewright::explore::space_test
