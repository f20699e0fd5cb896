#include "certificate/common/union_size.hpp"

#include <gtest/gtest.h>

#include <array>
#include <set>

#include "base/numbers/random.hpp"

namespace tilewright::certificate::box_union_test {
namespace {

TEST(BoxUnion, OfASlantedLineIsNotTheBoxAroundIt) {
    const std::array<double, 2> word{1.0, 1.0};
    const std::array<BoxCopies, 1> along{{{{1.0, 1.0}, 5.0}}};
    EXPECT_EQ(box_union(word, along), 5.0) << "O[a, a]";
    const std::array<BoxCopies, 2> twice{{{{1.0, 1.0}, 2.0}, {{1.0, 1.0}, 2.0}}};
    EXPECT_EQ(box_union(word, twice), 3.0) << "O[a + b, b + a]";
    const std::array<double, 2> tile{2.0, 3.0};
    EXPECT_EQ(box_union(tile, along), 6.0 + 4.0 * 4.0) << "each leaves 1 x 2 of its words behind";
    const std::array<BoxCopies, 1> back{{{{-1.0, 1.0}, 5.0}}};
    EXPECT_EQ(box_union(tile, back), 22.0);
}

TEST(BoxUnion, IsWhatCountingWordsFinds) {
    Random random(1);
    const auto number = [&random](int least, int most) { return static_cast<int>(random.between(least, most)); };
    for (int round = 0; round < 500; ++round) {
        const int ranks = number(1, 3);
        std::vector<double> widths;
        std::set<std::vector<int>> words{{}};
        for (int r = 0; r < ranks; ++r) {
            widths.push_back(number(1, 4));
            std::set<std::vector<int>> longer;
            for (std::vector<int> word : words) {
                word.push_back(0);
                for (; word.back() < static_cast<int>(widths.back()); ++word.back()) longer.insert(word);
            }
            words = longer;
        }
        std::vector<BoxCopies> copies(static_cast<std::size_t>(number(0, 3)));
        for (BoxCopies& more : copies) {
            more.count = number(1, 4);
            for (int r = 0; r < ranks; ++r) more.step[static_cast<std::size_t>(r)] = number(-3, 3);
            std::set<std::vector<int>> all;
            for (int i = 0; i < static_cast<int>(more.count); ++i)
                for (std::vector<int> word : words) {
                    for (std::size_t r = 0; r < word.size(); ++r) word[r] += i * static_cast<int>(more.step[r]);
                    all.insert(word);
                }
            words = all;
        }
        ASSERT_EQ(box_union(widths, copies), static_cast<double>(words.size())) << "round " << round;
    }
}

}  // namespace
}  // namespace tilewright::certificate::box_union_test
