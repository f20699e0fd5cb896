#include "codesign/search.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace tilewright::codesign::worth_test {
namespace {

explore::Space two_knobs() {
    return explore::Space({explore::parse_knob("a=1..12", {}), explore::parse_knob("b=1..12", {})});
}

/// (a - 7)^2 + 2 (b - 3)^2 + a b; no machine of b = 5 is valid. Floors are exact, less a share.
class Valley : public Subject {
   public:
    Valley(const explore::Space& space, double share) : space_(space), share_(share) {}

    std::optional<double> quick_floor(const Box& box) override {
        std::optional<double> least;
        for (std::uint32_t a = box.ranges[0].low; a < box.ranges[0].high; ++a)
            for (std::uint32_t b = box.ranges[1].low; b < box.ranges[1].high; ++b)
                if (const std::optional<double> value = value_at(a + 1.0, b + 1.0))
                    least = std::min(least.value_or(*value), *value);
        if (least) *least *= is_single(box) ? 1.0 : 1.0 - share_;
        return least;
    }
    std::optional<double> floor(const Box& box, double) override { return quick_floor(box); }
    std::size_t knob_to_cut(const Box& box) override { return box.ranges[0].size() >= box.ranges[1].size() ? 0 : 1; }
    Mapped map(explore::Point point) override {
        return {value_at(std::stod(space_.value(point, 0)), std::stod(space_.value(point, 1)))};
    }

    static std::optional<double> value_at(double a, double b) {
        if (b == 5.0) return std::nullopt;
        return (a - 7.0) * (a - 7.0) + 2.0 * (b - 3.0) * (b - 3.0) + a * b;
    }

   private:
    const explore::Space& space_;
    const double share_;
};

class CodesignWorth : public testing::Test {
   protected:
    std::vector<Held> held(Valley& valley, const Settings& settings) {
        const Answer answer = search(valley, space_, {.threads = 1}, stop_);
        return hold_knobs(valley, space_, settings, stop_, answer);
    }
    static std::optional<double> least_with(std::size_t knob, double at) {
        std::optional<double> least;
        for (double other = 1.0; other <= 12.0; ++other)
            if (const auto value = knob == 0 ? Valley::value_at(at, other) : Valley::value_at(other, at))
                least = std::min(least.value_or(*value), *value);
        return least;
    }

    const explore::Space space_ = two_knobs();
    StopSource stop_;
};

TEST_F(CodesignWorth, IsThatOfTheBestMachineWithEachValue) {
    Valley valley(space_, 0.3);
    const std::vector<Held> all = held(valley, {.threads = 1});
    ASSERT_EQ(all.size(), 24U);
    for (const Held& one : all) {
        const std::optional<double> least = least_with(one.knob, one.position + 1.0);
        EXPECT_TRUE(one.proven);
        EXPECT_EQ(one.machines, 12);
        EXPECT_EQ(one.best.has_value(), least.has_value()) << "no machine of b = 5 is valid";
        if (!least) continue;
        EXPECT_EQ(one.best->value, *least);
        EXPECT_EQ(one.bound, *least);
    }
}

TEST_F(CodesignWorth, IsABoundWhereTheSearchEndsEarly) {
    Valley valley(space_, 0.9);
    int unproven = 0;
    for (const Held& one : held(valley, {.threads = 1, .most_looked = 3})) {
        const std::optional<double> least = least_with(one.knob, one.position + 1.0);
        if (!one.proven) ++unproven;
        if (!least) continue;
        EXPECT_LE(one.bound, *least);
        if (one.best) {
            EXPECT_GE(one.best->value, *least);
        }
    }
    EXPECT_GT(unproven, 5);
}

TEST_F(CodesignWorth, OfValuesAfterAStopIsTheBoundOfAllMachines) {
    Valley valley(space_, 0.3);
    const Answer answer = search(valley, space_, {.threads = 1}, stop_);
    StopSource stopped;
    stopped.request();
    for (const Held& one : hold_knobs(valley, space_, {.threads = 1}, stopped, answer)) {
        EXPECT_EQ(one.bound, answer.best->value);
        EXPECT_EQ(one.proven, space_.position(answer.best->point, one.knob) == one.position);
    }
}

}  // namespace
}  // namespace tilewright::codesign::worth_test
