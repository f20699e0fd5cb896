#include "certificate/common/union_size.hpp"

#include <gtest/gtest.h>

#include <set>

#include "base/numbers/random.hpp"
#include "workload/einsum_text.hpp"

namespace tilewright::certificate::union_size_test {
namespace {

TEST(UnionSize, CopiesThatTouchAreOnePiece) {
    EXPECT_EQ(union_size(3.0, {{2.0, 4.0}}), 9.0);
    EXPECT_EQ(union_size(3.0, {{5.0, 4.0}}), 12.0) << "clear of each other";
    EXPECT_EQ(union_size(1.0, {{2.0, 2.0}, {3.0, 2.0}}), 4.0) << "0 2 3 5";
    EXPECT_EQ(union_size(1.0, {{2.0, 3.0}, {4.0, 2.0}}), 5.0) << "0 2 4 6 8, one of them twice";
}

TEST(UnionSize, IsWhatCountingWordsFinds) {
    Random random(1);
    const auto number = [&random](std::uint64_t most) { return static_cast<int>(1 + random.below(most)); };
    for (int round = 0; round < 2000; ++round) {
        std::vector<Copies> copies;
        std::set<int> starts{0};
        for (int i = number(3); i > 0; --i) {
            const int step = number(12);
            const int count = number(5);
            copies.push_back({static_cast<double>(step), static_cast<double>(count)});
            std::set<int> more;
            for (const int start : starts)
                for (int k = 0; k < count; ++k) more.insert(start + k * step);
            starts = more;
        }
        const int width = number(6);
        std::set<int> words;
        for (const int start : starts)
            for (int w = 0; w < width; ++w) words.insert(start + w);
        ASSERT_EQ(union_size(width, copies), static_cast<double>(words.size())) << "round " << round;
    }
}

TEST(UnionSize, AtLeastIsNeverMore) {
    Random random(2);
    const auto number = [&random](std::uint64_t most) { return static_cast<int>(1 + random.below(most)); };
    const auto copied = [](const std::set<int>& starts, const std::vector<int>& by) {
        std::set<int> more;
        for (const int start : starts)
            for (const int move : by) more.insert(start + move);
        return more;
    };
    int exact = 0;
    for (int round = 0; round < 4000; ++round) {
        std::vector<Copies> copies;
        std::vector<Copies> scattered;
        std::set<int> starts{0};
        for (int i = number(4); i > 0; --i) {
            const int step = number(12);
            const int count = number(5);
            const bool is_scattered = number(3) == 1;
            std::vector<int> by{0};
            while (static_cast<int>(by.size()) < count)
                by.push_back(by.back() + step + (is_scattered ? number(4) - 1 : 0));
            (is_scattered ? scattered : copies).push_back({static_cast<double>(step), static_cast<double>(count)});
            starts = copied(starts, by);
        }
        std::set<int> words;
        const int width = number(6);
        for (const int start : starts)
            for (int w = 0; w < width; ++w) words.insert(start + w);
        const double least = union_size_at_least(width, copies, scattered);
        ASSERT_LE(least, static_cast<double>(words.size())) << "round " << round;
        if (least == static_cast<double>(words.size())) ++exact;
    }
    EXPECT_GT(exact, 1900);
}

TEST(UnionSize, AtLeastIsExactOfWindows) {
    EXPECT_EQ(union_size_at_least(1.0, {{2.0, 28.0}, {1.0, 3.0}}, {}), 57.0) << "a stride of two, three taps";
    EXPECT_EQ(union_size_at_least(3.0, {{2.0, 4.0}}, {}), 9.0);
    EXPECT_EQ(union_size_at_least(3.0, {}, std::vector<Copies>{{2.0, 4.0}}), 9.0);
    EXPECT_EQ(union_size_at_least(3.0, {{5.0, 4.0}}, {}), 12.0);
}

// O[p + r] of 8 x 4 outputs: 11 words in all.
class Distinct : public testing::Test {
   protected:
    Distinct()
        : einsum_(parse_einsum("O[p + r] += A[p] * B[r]", {{"p", 8}, {"r", 4}})),
          tensor_(einsum_, einsum_.tensors.back()) {}

    double at_most(double tile_p, double tile_r, double share_p, double share_r) const {
        return distinct_at_most(tensor_, box(tile_p, tile_r), box(share_p, share_r), box(8.0, 4.0));
    }
    static Box box(double p, double r) {
        Box box;
        box.fill(1.0);
        box[0] = p;
        box[1] = r;
        return box;
    }

    Einsum einsum_;
    Addresses tensor_;
};

TEST_F(Distinct, OfAllIterationsIsKnown) {
    ASSERT_TRUE(tensor_.written);
    EXPECT_EQ(at_most(1.0, 1.0, 8.0, 4.0), 11.0);
    EXPECT_EQ(at_most(8.0, 1.0, 8.0, 4.0), 11.0);
    EXPECT_EQ(at_most(2.0, 4.0, 2.0, 4.0), 5.0) << "one tile";
}

// Two of the eight p, possibly the first and the last.
TEST_F(Distinct, OfAShareIsBounded) {
    EXPECT_EQ(at_most(1.0, 1.0, 2.0, 4.0), 8.0);
    EXPECT_EQ(at_most(1.0, 1.0, 4.0, 4.0), 11.0);
    EXPECT_EQ(at_most(4.0, 1.0, 4.0, 4.0), 7.0) << "its p are one tile";
}

}  // namespace
}  // namespace tilewright::certificate::union_size_test
