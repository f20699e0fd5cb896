#include "codesign/front.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <functional>
#include <iterator>

#include "codesign/journal.hpp"

namespace tilewright::codesign::front_test {
namespace {

constexpr std::int64_t kValues = 48;

explore::Space grid(std::int64_t values = kValues) {
    const std::string text = "1.." + std::to_string(values);
    return explore::Space({explore::parse_knob("a=" + text, {}), explore::parse_knob("b=" + text, {})});
}

/// Squared distance of (a, b) from a place, plus 1; machines with a + b < 10 are invalid. Floors: exact, less a share.
class Distance : public Subject {
   public:
    Distance(const explore::Space& space, double a, double b, double share)
        : space_(space), a_(a), b_(b), share_(share) {}

    std::optional<double> quick_floor(const Box& box) override {
        if (box.ranges[0].high + box.ranges[1].high < 10) return std::nullopt;
        return (1.0 - share_) * (away(box.ranges[0], a_) + away(box.ranges[1], b_) + 1.0);
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
        if (a + b < 10.0) return {};
        const double value = (a - a_) * (a - a_) + (b - b_) * (b - b_) + 1.0;
        return {value, doubtful ? std::optional(value * 0.5) : std::nullopt};
    }

    std::function<void()> on_floor;
    std::atomic<int> floors{0};
    bool doubtful = false;

   private:
    static double away(const Range& range, double place) {
        const double far = std::max({0.0, range.low + 1.0 - place, place - range.high});
        return far * far;
    }

    const explore::Space& space_;
    const double a_;
    const double b_;
    const double share_;
};

class CodesignFront : public testing::Test {
   protected:
    /// By walking over all machines.
    std::vector<FrontMachine> expected() {
        std::vector<FrontMachine> all;
        for (explore::Point point = 0; point < space_.size(); ++point) {
            const Mapped one = near_.map(point);
            if (one.value) all.push_back({point, {*one.value, *far_.map(point).value}});
        }
        const auto beaten = [&](const FrontMachine& machine) {
            return std::ranges::any_of(all, [&](const FrontMachine& other) {
                const bool no_worse = other.values[0] <= machine.values[0] && other.values[1] <= machine.values[1];
                return no_worse && (other.values != machine.values || other.point < machine.point);
            });
        };
        std::vector<FrontMachine> front;
        std::ranges::remove_copy_if(all, std::back_inserter(front), beaten);
        std::ranges::sort(front, {}, &FrontMachine::values);
        return front;
    }
    FrontAnswer search(const Settings& settings) { return search_front({&near_, &far_}, space_, settings, stop_); }

    const explore::Space space_ = grid();
    Distance near_{space_, 5.0, 3.0, 0.3};
    Distance far_{space_, 40.0, 20.0, 0.3};
    StopSource stop_;
};

std::vector<Values> values_of(const std::vector<FrontMachine>& front) {
    std::vector<Values> values;
    for (const FrontMachine& machine : front) values.push_back(machine.values);
    return values;
}

TEST_F(CodesignFront, IsThatOfAllMachines) {
    const FrontAnswer answer = search({});
    EXPECT_TRUE(answer.proven);
    EXPECT_GT(answer.front.size(), 20U);
    EXPECT_EQ(values_of(answer.front), values_of(expected()));
    EXPECT_EQ(answer.gap, 0.0);
    EXPECT_TRUE(answer.envelope.empty());
    EXPECT_GE(answer.counts.worse + answer.counts.impossible + answer.counts.mapped, space_.size());
    EXPECT_LT(answer.counts.mapped, space_.size() / 2);
    EXPECT_EQ(answer.course.back().machines, static_cast<std::int64_t>(answer.front.size()));
}

TEST_F(CodesignFront, IsTheSameOnAnyNumberOfThreads) {
    const FrontAnswer one = search({.threads = 1});
    const FrontAnswer three = search({.threads = 3});
    EXPECT_EQ(one.front, three.front);
    EXPECT_EQ(one.counts, three.counts);
    EXPECT_EQ(one.course, three.course);
}

// Every missing machine lies above the envelope.
TEST_F(CodesignFront, SaysWhereABetterMachineMayStillBe) {
    near_.on_floor = [&] {
        if (near_.floors == 25) stop_.request();
    };
    const FrontAnswer answer = search({.threads = 1});
    EXPECT_FALSE(answer.proven);
    EXPECT_GT(answer.left, 0U);
    EXPECT_GT(answer.gap, 0.0);
    EXPECT_LT(answer.gap, 1.0);
    ASSERT_FALSE(answer.envelope.empty());
    int missing = 0;
    for (const FrontMachine& machine : expected()) {
        const auto covers_it = [&](const Values& values) { return covers(values, machine.values); };
        if (std::ranges::any_of(values_of(answer.front), covers_it)) continue;
        ++missing;
        EXPECT_TRUE(std::ranges::any_of(answer.envelope, [&](const Remaining& one) { return covers_it(one.floors); }));
        double least = 1.0;
        for (const FrontMachine& found : answer.front) {
            double most = 0.0;
            for (std::size_t m = 0; m < 2; ++m) most = std::max(most, 1.0 - machine.values[m] / found.values[m]);
            least = std::min(least, most);
        }
        EXPECT_LE(least, answer.gap);
    }
    EXPECT_GT(missing, 0);
}

TEST_F(CodesignFront, IsDeniedItsProofWhenBoxesWereDropped) {
    const FrontAnswer answer = search({.threads = 1, .most_boxes = 4});
    EXPECT_FALSE(answer.proven);
    EXPECT_EQ(answer.left, 0U);
    EXPECT_EQ(answer.envelope.size(), 1U);
}

TEST_F(CodesignFront, IsDeniedItsProofWhenMappingsAreNotProven) {
    near_.doubtful = true;
    const FrontAnswer answer = search({.threads = 1});
    EXPECT_FALSE(answer.proven);
    EXPECT_GT(answer.unproven, 0);
    EXPECT_LE(answer.gap, 0.5);
}

TEST(CodesignFrontJournal, GoesOnWhereASearchWasStopped) {
    const explore::Space space = grid(9);
    Distance near(space, 5.0, 3.0, 0.3);
    Distance far(space, 8.0, 7.0, 0.3);
    const StopSource never;
    const FrontAnswer whole = search_front({&near, &far}, space, {.threads = 1}, never);
    const int floors = near.floors;
    const std::string file = (std::filesystem::temp_directory_path() / "tilewright_front_test.sqlite").string();
    std::filesystem::remove(file);
    const auto search = [&](const StopSource& stop) {
        Journal journal(file, {{"space", "9"}});
        Remembered remembered_near(near, journal, stop, "near ");
        Remembered remembered_far(far, journal, stop, "far ");
        return search_front({&remembered_near, &remembered_far}, space, {.threads = 1}, stop);
    };
    near.floors = 0;
    StopSource soon;
    near.on_floor = [&] {
        if (near.floors == 4) soon.request();
    };
    EXPECT_FALSE(search(soon).proven);
    near.on_floor = {};
    const FrontAnswer answer = search(never);
    EXPECT_EQ(answer.front, whole.front);
    EXPECT_EQ(answer.counts, whole.counts);
    EXPECT_EQ(near.floors, floors + 1) << "only the floor during which the stop came is found twice";
    for (const char* end : {"", "-wal", "-shm"}) std::filesystem::remove(file + end);
}

}  // namespace
}  // namespace tilewright::codesign::front_test
