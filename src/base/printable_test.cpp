#include <gtest/gtest.h>
#include <string>

#include "base/printable.hpp"

namespace tilewright::printable_test {
namespace {

TEST(Printable, LeavesTextAlone) {
    EXPECT_EQ(printable("plain\n\ttext, Grüße, 畳み込み"), "plain\n\ttext, Grüße, 畳み込み");
    EXPECT_EQ(printable(""), "");
}

TEST(Printable, SpellsOutWhatATerminalObeys) {
    EXPECT_EQ(printable("\x1b[31mred\x1b]0;title\x07"), "\\u001b[31mred\\u001b]0;title\\u0007");
    EXPECT_EQ(printable("a\rb\x7f"), "a\\u000db\\u007f");
    EXPECT_EQ(printable("\xc2\x9b\x33\x31m"), "\\u009b31m");                   // the one-character form of ESC [
    EXPECT_EQ(printable("\xe2\x80\xae gnp.txt"), "\\u202e gnp.txt");           // right to left
    EXPECT_EQ(printable("x\xe2\x80\x8by \xef\xbb\xbf"), "x\\u200by \\ufeff");  // nothing to see
}

TEST(Printable, SpellsOutBytesThatAreNoText) {
    EXPECT_EQ(printable("\x80\xff"), "\\x80\\xff");
    EXPECT_EQ(printable("cut \xe7\x95"), "cut \\xe7\\x95");
    EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");  // half of a surrogate pair
    EXPECT_EQ(printable("\xc0\xaf"), "\\xc0\\xaf");           // overlong
}

TEST(Printable, ALineStaysALine) {
    EXPECT_EQ(printable_line("conv1\n\terror: nothing"), "conv1\\u000a\\u0009error: nothing");
    EXPECT_EQ(masked_line("a\tb\x1b[0m \xff \xc3\xbc"), "a b?[0m ? \xc3\xbc");
}

}  // namespace

}  // namespace tilewright::printable_test

namespace tilewright::utf8_test {
namespace {

TEST(Utf8, AcceptsEveryLengthOfSequence) {
    const std::string text = "a\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80";
    EXPECT_EQ(first_invalid_utf8(text), text.size());
    EXPECT_EQ(first_invalid_utf8(""), 0U);
}

TEST(Utf8, FindsTheFirstByteThatDoesNotFit) {
    EXPECT_EQ(first_invalid_utf8("ab\x80"), 2U) << "a continuation alone";
    EXPECT_EQ(first_invalid_utf8("ab\xff"), 2U);
    EXPECT_EQ(first_invalid_utf8("a\xe2\x82"), 1U) << "cut short";
    EXPECT_EQ(first_invalid_utf8("a\xe2\x82z"), 1U);
    EXPECT_EQ(first_invalid_utf8("\xc0\xaf"), 0U) << "overlong";
    EXPECT_EQ(first_invalid_utf8("\xe0\x80\xaf"), 0U) << "overlong";
    EXPECT_EQ(first_invalid_utf8("\xed\xa0\x80"), 0U) << "a surrogate";
    EXPECT_EQ(first_invalid_utf8("\xf4\x90\x80\x80"), 0U) << "beyond Unicode";
}

}  // namespace

}  // namespace tilewright::utf8_test
