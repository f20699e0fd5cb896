#include "codesign/search.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <functional>

#include "base/error.hpp"
#include "codesign/journal.hpp"

namespace tilewright::codesign::search_test {
namespace {

explore::Space space_of(std::int64_t values) {
    const std::string text = "1.." + std::to_string(values);
    return explore::Space({explore::parse_knob("a=" + text, {}), explore::parse_knob("b=" + text, {})});
}

/// A machine costs (a - 30)^2 + (b - 3)^2 + 1; one with a + b < 20 is not valid. Floors are exact, less a share.
class Bowl : public Subject {
   public:
    Bowl(const explore::Space& space, double share) : space_(space), share_(share) {}

    std::optional<double> quick_floor(const Box& box) override {
        const Range& a = box.ranges[0];
        const Range& b = box.ranges[1];
        if (a.high + b.high < 20) return std::nullopt;
        return (1.0 - share_) * (nearest(a, 30.0) + nearest(b, 3.0) + 1.0);
    }
    std::optional<double> floor(const Box& box, double) override {
        ++floors;
        if (on_floor) on_floor();
        return quick_floor(box);
    }
    std::size_t knob_to_cut(const Box& box) override { return box.ranges[0].size() >= box.ranges[1].size() ? 0 : 1; }
    Mapped map(explore::Point point) override {
        const double a = std::stod(space_.value(point, 0));
        const double b = std::stod(space_.value(point, 1));
        if (a + b < 20.0) return {};
        return {(a - 30.0) * (a - 30.0) + (b - 3.0) * (b - 3.0) + 1.0};
    }

    std::function<void()> on_floor;
    std::atomic<int> floors{0};

   private:
    // Squared distance of the range from the best value; value = position + 1.
    static double nearest(const Range& range, double best) {
        const double low = range.low + 1.0;
        const double high = range.high;
        const double away = std::max({0.0, low - best, best - high});
        return away * away;
    }

    const explore::Space& space_;
    double share_;
};

TEST(CodesignSearch, FindsTheBestMachineAndProvesIt) {
    const explore::Space space = space_of(64);
    Bowl bowl(space, 0.01);
    const StopSource never;
    const Answer answer = search(bowl, space, {}, never);
    ASSERT_TRUE(answer.best);
    EXPECT_TRUE(answer.proven);
    EXPECT_EQ(answer.best->value, 1.0);
    EXPECT_EQ(answer.bound, 1.0);
    EXPECT_EQ(explore::point_text(space, answer.best->point), "a=30, b=3");
    EXPECT_LT(answer.counts.mapped, 64);
    EXPECT_EQ(answer.left, 0U);
}

TEST(CodesignSearch, IsTheSameOnAnyNumberOfThreads) {
    const explore::Space space = space_of(100);
    const StopSource never;
    Bowl one(space, 0.5);
    Bowl three(space, 0.5);
    const Answer first = search(one, space, {.threads = 1}, never);
    const Answer other = search(three, space, {.threads = 3}, never);
    EXPECT_EQ(first.best, other.best);
    EXPECT_EQ(first.counts, other.counts);
}

TEST(CodesignSearch, DeniesTheProofWhenItIsStopped) {
    const explore::Space space = space_of(64);
    Bowl bowl(space, 0.95);
    StopSource stop;
    bowl.on_floor = [&] {
        if (bowl.floors == 20) stop.request();
    };
    const Answer answer = search(bowl, space, {.threads = 1}, stop);
    EXPECT_FALSE(answer.proven);
    EXPECT_GT(answer.left, 0U);
    ASSERT_TRUE(answer.best);
    EXPECT_LT(answer.bound, answer.best->value);
    EXPECT_LE(answer.bound, 1.0);
}

TEST(CodesignSearch, DeniesTheProofWhenBoxesWereDropped) {
    const explore::Space space = space_of(64);
    Bowl bowl(space, 0.999);
    const StopSource never;
    const Answer answer = search(bowl, space, {.threads = 1, .most_boxes = 4}, never);
    EXPECT_FALSE(answer.proven);
    EXPECT_EQ(answer.left, 0U);
    EXPECT_LE(answer.bound, 1.0);
}

/// One machine has unproven mappings: it may come to less.
class Doubtful : public Bowl {
   public:
    Doubtful(const explore::Space& space, double least) : Bowl(space, 0.01), least_(least) {}
    Mapped map(explore::Point point) override {
        Mapped mapped = Bowl::map(point);
        if (mapped.value == 1.0) mapped.least = least_;
        return mapped;
    }

   private:
    double least_;
};

TEST(CodesignSearch, DeniesTheProofWhenAMappingIsNotProven) {
    const explore::Space space = space_of(64);
    const StopSource never;
    Doubtful doubtful(space, 0.9);
    const Answer answer = search(doubtful, space, {}, never);
    EXPECT_FALSE(answer.proven);
    EXPECT_EQ(answer.unproven, 1);
    EXPECT_EQ(answer.bound, 0.9);
    Doubtful sound(space, 1.0);
    EXPECT_TRUE(search(sound, space, {}, never).proven) << "it is no better at its best";
}

TEST(CodesignSearch, KeepsTheTreeWhereItIsAskedTo) {
    const explore::Space space = space_of(32);
    const StopSource never;
    Bowl bowl(space, 0.5);
    EXPECT_TRUE(search(bowl, space, {}, never).tree.ends.empty());
    const Answer answer = search(bowl, space, {.keeps_tree = true}, never);
    ASSERT_TRUE(answer.proven);
    std::int64_t machines = 0;
    for (const auto& [box, end] : answer.tree.ends) machines += count(box);
    EXPECT_EQ(machines, space.size());
    EXPECT_EQ(answer.tree.ends.size(), answer.tree.cuts.size() + 1);
    for (const auto& [box, end] : answer.tree.ends) {
        EXPECT_FALSE(answer.tree.cuts.contains(box));
        const std::optional<double> least = Bowl(space, 0.0).quick_floor(box);
        EXPECT_EQ(least.has_value(), end != End::impossible);
        if (end == End::worse) {
            EXPECT_GE(least.value(), answer.best->value * kClose);
        }
    }
}

TEST(CodesignSearch, ProvesThatNoMachineIsValid) {
    const explore::Space space = space_of(9);
    Bowl bowl(space, 0.0);
    const StopSource never;
    const Answer answer = search(bowl, space, {}, never);
    EXPECT_TRUE(answer.proven);
    EXPECT_FALSE(answer.best);
    EXPECT_EQ(answer.counts.impossible, 81);
}

class CodesignJournal : public testing::Test {
   protected:
    void SetUp() override { std::filesystem::remove(file_); }
    void TearDown() override {
        for (const char* end : {"", "-wal", "-shm"}) std::filesystem::remove(file_ + end);
    }
    const std::string file_ = (std::filesystem::temp_directory_path() / "tilewright_codesign_test.sqlite").string();
};

TEST_F(CodesignJournal, GoesOnWhereASearchWasStopped) {
    const explore::Space space = space_of(64);
    const StopSource never;
    Bowl whole(space, 0.95);
    const Answer expected = search(whole, space, {.threads = 1}, never);
    {
        Bowl bowl(space, 0.95);
        StopSource stop;
        bowl.on_floor = [&] {
            if (bowl.floors == 20) stop.request();
        };
        Journal journal(file_, {{"space", "64"}});
        Remembered remembered(bowl, journal, stop);
        EXPECT_FALSE(search(remembered, space, {.threads = 1}, stop).proven);
    }
    Bowl again(space, 0.95);
    Journal journal(file_, {{"space", "64"}});
    Remembered remembered(again, journal, never);
    const Answer answer = search(remembered, space, {.threads = 1}, never);
    EXPECT_EQ(answer.best, expected.best);
    EXPECT_EQ(answer.counts, expected.counts);
    EXPECT_GE(journal.found(), 19);
    EXPECT_EQ(again.floors, whole.floors - 19);
}

TEST_F(CodesignJournal, RefusesAnotherSearch) {
    {
        const Journal journal(file_, {{"space", "64"}});
    }
    try {
        const Journal journal(file_, {{"space", "65"}});
        FAIL() << "it was taken";
    } catch (const InputError& error) {
        EXPECT_EQ(error.message(), "holds another search: its 'space' is 64, not 65");
    }
}

}  // namespace
}  // namespace tilewright::codesign::search_test
