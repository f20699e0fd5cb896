#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "base/scanner.hpp"

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

namespace tilewright::commas_test {
namespace {

std::vector<std::string> entries(std::string_view text) {
    std::vector<std::string> found;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = end_of_entry(text, begin);
        found.emplace_back(text.substr(begin, end - begin));
        begin = end + 1;
    }
    return found;
}

TEST(Commas, EndEntriesOutsideOfBrackets) {
    EXPECT_EQ(entries("2,4"), (std::vector<std::string>{"2", "4"}));
    EXPECT_EQ(entries("max(side, 4),f([1,2],{3,4})"), (std::vector<std::string>{"max(side, 4)", "f([1,2],{3,4})"}));
    EXPECT_EQ(entries("a),b"), (std::vector<std::string>{"a)", "b"}));  // a mistake left to the reader of "a)"
    EXPECT_EQ(entries("max(1,2"), (std::vector<std::string>{"max(1,2"}));
    EXPECT_EQ(entries("a,"), (std::vector<std::string>{"a", ""}));
}

}  // namespace

}  // namespace tilewright::commas_test
