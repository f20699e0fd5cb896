#include "base/utf8.hpp"

#include <gtest/gtest.h>

#include <string>

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
