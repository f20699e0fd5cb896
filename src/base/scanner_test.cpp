#include "base/scanner.hpp"

#include <gtest/gtest.h>

namespace tilewright::scanner_test {
namespace {

TEST(Scanner, ReadsFromLeftToRight) {
    Scanner scanner(" K_1 [ 34 ]=x");
    EXPECT_EQ(scanner.name(), "") << "names stand where the scanner is";
    EXPECT_FALSE(scanner.at('['));
    EXPECT_EQ(scanner.name_here(), "K_1");
    EXPECT_EQ(scanner.name(), "K_1");
    EXPECT_TRUE(scanner.accept('['));
    EXPECT_FALSE(scanner.accept(']'));
    EXPECT_TRUE(scanner.at_digit());
    std::int64_t value = 0;
    EXPECT_EQ(scanner.number(value), std::errc{});
    EXPECT_EQ(value, 34);
    EXPECT_TRUE(scanner.accept(']'));
    EXPECT_EQ(scanner.skip("<>="), "=");
    EXPECT_EQ(scanner.rest(), "x");
    EXPECT_FALSE(scanner.finished());
    scanner.seek(scanner.text().size());
    EXPECT_TRUE(scanner.finished() && scanner.at_end());
    EXPECT_FALSE(scanner.at('x') || scanner.at_digit() || scanner.accept('x'));
    EXPECT_EQ(scanner.name(), "");
    EXPECT_EQ(scanner.skip("x"), "");
}

TEST(Scanner, StaysBeforeWhatIsNoNumber) {
    std::int64_t value = 7;
    for (const char* text : {"", "x", "99999999999999999999"}) {
        Scanner scanner(text);
        EXPECT_NE(scanner.number(value), std::errc{}) << text;
        EXPECT_EQ(scanner.place(), 0U);
    }
    EXPECT_EQ(value, 7);
}

}  // namespace
}  // namespace tilewright::scanner_test
