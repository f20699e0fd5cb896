#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <limits>
#include <random>

#include "tiles/expression/program.hpp"

namespace tilewright::tiles {
namespace {

const std::vector<std::string> kNames{"a", "b", "c"};
int slot_of(const std::string& name) {
    const auto found = std::ranges::find(kNames, name);
    return found == kNames.end() ? -1 : static_cast<int>(found - kNames.begin());
}

std::int64_t value(const std::string& text, std::vector<std::int64_t> slots = {7, -3, 0}) {
    return IntegerProgram({text, {"rules.yaml", 4, 10}}, slot_of, kNames)(slots.data());
}
double time(const std::string& text, std::vector<double> slots = {7, -3, 0}) {
    return RealProgram({text, {"rules.yaml", 4, 10}}, slot_of, kNames)(slots.data());
}
std::string mistake(const std::string& text, std::vector<std::int64_t> slots = {7, -3, 0}) {
    try {
        return std::to_string(value(text, slots));
    } catch (const InputError& error) {
        return error.what();
    }
}

// What Python says of the same text.
TEST(TilesExpression, ComputesAsPython) {
    EXPECT_EQ(value("2 + 3 * 4 - -1"), 15);
    EXPECT_EQ(value("-2 ** 2"), -4);
    EXPECT_EQ(value("2 ** 3 ** 2"), 512);
    EXPECT_EQ(value("a // 2 * 2 + a % 2"), 7);
    EXPECT_EQ(value("b // 2"), -2);
    EXPECT_EQ(value("b % 2"), 1);
    EXPECT_EQ(value("a % b"), -2);
    EXPECT_EQ(value("cdiv(a, 2)"), 4);
    EXPECT_EQ(value("cdiv(b, 2)"), -1);
    EXPECT_EQ(value("up(a, 4)"), 8);
    EXPECT_EQ(value("min(a, b, c) + max(a, b, c)"), 4);
    EXPECT_EQ(value("pow2(8) + pow2(12) + pow2(0)"), 1);
    EXPECT_EQ(value("div(3, 12) + div(5, 12)"), 1);
    EXPECT_EQ(value("1 if c else 2 if b else 3"), 2);
    EXPECT_EQ(value("not c and not not a"), 1);
    EXPECT_EQ(value("(7 and 8) + (0 or 5)"), 2);
    EXPECT_EQ(value("b < c <= 0 < a"), 1);
    EXPECT_EQ(value("a > b > c"), 0);
    EXPECT_EQ(value("1 < 2 == 2"), 1);
    EXPECT_EQ(value("(1 < 2) == 2"), 0);
    EXPECT_EQ(value("min(1 if a else 2, 3)"), 1);
}

TEST(TilesExpression, DoesNotEvaluateWhatItNeedNot) {
    EXPECT_EQ(value("c and 1 // c"), 0);
    EXPECT_EQ(value("a or 1 // c"), 1);
    EXPECT_EQ(value("5 if a else 1 // c"), 5);
    EXPECT_EQ(value("1 // c if c else 6"), 6);
    EXPECT_EQ(value("a < b < 1 // c"), 0);
}

TEST(TilesExpression, RefusesWithThePlace) {
    using testing::HasSubstr;
    EXPECT_THAT(mistake("a + 1 // c"), HasSubstr("rules.yaml:4:17: error: a division by zero"));
    EXPECT_THAT(mistake("a % c"), HasSubstr("rules.yaml:4:12: error: a division by zero"));
    EXPECT_THAT(mistake("2 ** b"), HasSubstr("a negative exponent"));
    EXPECT_THAT(mistake("9223372036854775807 + a"), HasSubstr("rules.yaml:4:30: error: the value does not fit"));
    EXPECT_THAT(mistake("9223372036854775808"), HasSubstr("does not fit in 64 bits"));
    EXPECT_THAT(mistake("10 ** 19"), HasSubstr("does not fit"));
    EXPECT_THAT(mistake("a // b", {std::numeric_limits<std::int64_t>::min(), -1, 0}), HasSubstr("does not fit"));
    EXPECT_THAT(mistake("-a", {std::numeric_limits<std::int64_t>::min(), -1, 0}), HasSubstr("does not fit"));
    EXPECT_THAT(mistake("a / 2"), HasSubstr("rules.yaml:4:12: error: '/' is not of the rule language"));
    EXPECT_THAT(mistake("2.5 * a"), HasSubstr("whole numbers only"));
    EXPECT_THAT(mistake("a + d"), HasSubstr("rules.yaml:4:14: error: there is no 'd'"));
    EXPECT_THAT(mistake("sqrt(a)"), HasSubstr("there is no function 'sqrt'"));
    EXPECT_THAT(mistake("overlap(a, b)"), HasSubstr("there is no function 'overlap'"));
    EXPECT_THAT(mistake("cdiv(a)"), HasSubstr("cdiv() takes 2 values, found 1"));
    EXPECT_THAT(mistake("a +"), HasSubstr("rules.yaml:4:13: error: expected a number, a name or '(', found the end"));
    EXPECT_THAT(mistake("(a"), HasSubstr("expected ')'"));
    EXPECT_THAT(mistake("a b"), HasSubstr("expected an operator or the end, found 'b'"));
    EXPECT_THAT(mistake("a && b"), HasSubstr("found '&' ('and' is meant?)"));
    EXPECT_THAT(mistake("(a = b)"), HasSubstr("expected ')', found '=' ('==' is meant?)"));
    EXPECT_THAT(mistake("64KB"), HasSubstr("found 'K' (numbers have no units: 64 KiB is 64 * 1024)"));
    EXPECT_THAT(mistake("1 if a"), HasSubstr("expected 'else'"));
    EXPECT_THAT(mistake("3x"), HasSubstr("found 'x'"));
    EXPECT_THAT(mistake(std::string(500, '(') + "1"), HasSubstr("nests too deeply"));
    EXPECT_THAT(mistake("1" + std::string(5000, ' ')), HasSubstr("at most 4096 bytes"));
}

// An expression and its value, which the instructions must find: operands in slots, constants or on the stack, jumps
// between.
struct Known {
    std::string text;
    std::int64_t value;
};
Known random_expression(std::mt19937& random, int depth) {
    const auto below = [&](unsigned most) { return static_cast<int>(random() % most); };
    if (depth == 0) {
        const int which = below(5);
        if (which < 3) return {kNames[which], std::array{7, -3, 0}[which]};
        return {std::to_string(which), which};
    }
    const auto part = [&] { return random_expression(random, std::max(0, depth - 1 - below(2))); };
    const Known a = part();
    const Known b = part();
    const Known c = part();
    const std::string text = "(" + a.text + ")";
    switch (below(9)) {
        case 0: return {text + " + (" + b.text + ")", a.value + b.value};
        case 1: return {text + " - (" + b.text + ")", a.value - b.value};
        case 2: return {text + " * (" + b.text + ")", a.value * b.value};
        case 3: return {"(" + a.text + " if " + b.text + " else " + c.text + ")", b.value != 0 ? a.value : c.value};
        case 4: return {text + " and (" + b.text + ")", a.value != 0 && b.value != 0 ? 1 : 0};
        case 5: return {text + " or (" + b.text + ")", a.value != 0 || b.value != 0 ? 1 : 0};
        case 6:
            return {text + " < (" + b.text + ") <= (" + c.text + ")", a.value < b.value && b.value <= c.value ? 1 : 0};
        case 7: return {"max(" + a.text + ", " + b.text + ", " + c.text + ")", std::max({a.value, b.value, c.value})};
        default: return {"not (" + a.text + ")", a.value == 0 ? 1 : 0};
    }
}

TEST(TilesExpression, InstructionsComputeWhatTheTextSays) {
    std::mt19937 random(5);
    for (int i = 0; i < 5000; ++i) {
        const Known known = random_expression(random, 4);
        EXPECT_EQ(value(known.text), known.value) << known.text;
        EXPECT_EQ(time(known.text), static_cast<double>(known.value)) << known.text;
    }
}

TEST(TilesExpression, TimesAreReal) {
    EXPECT_DOUBLE_EQ(time("a / 2 + 1.5e1"), 18.5);
    EXPECT_DOUBLE_EQ(time("cdiv(a, 2) + 7 // 2"), 7.0);
    EXPECT_DOUBLE_EQ(time("overlap(3, 4) ** 4"), 81.0 + 256.0);
    EXPECT_DOUBLE_EQ(time("400 + 6 * a / 75e3 if a == 7 else 0"), 400 + 42 / 75e3);
    EXPECT_DOUBLE_EQ(time("2 if c or b == 2 else 4"), 4.0);
}

// 32 threads, 8 words apart, 4 words each: 4 threads meet in each bank of the first 32 words of every 8.
TEST(TilesExpression, CountsBankConflictsOfALoad) {
    EXPECT_EQ(time("conflicts(32, 1, 1)"), 1);
    EXPECT_EQ(time("lines(32, 1, 1)"), 1);
    EXPECT_EQ(time("conflicts(32, 32, 1)"), 32);
    EXPECT_EQ(time("lines(32, 32, 1)"), 32);
    EXPECT_EQ(time("conflicts(32, 8, 4)"), 8);
    EXPECT_EQ(time("lines(32, 8, 4)"), 8);
    EXPECT_EQ(time("conflicts(8, 2, 4)"), 1);   // they overlap: 18 words
    EXPECT_EQ(time("conflicts(32, 0, 1)"), 1);  // all the same word
}

}  // namespace
}  // namespace tilewright::tiles
