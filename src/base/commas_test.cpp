#include "base/commas.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

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
