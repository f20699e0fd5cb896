#include "schedule/problem/latency.hpp"

#include <gmock/gmock.h>

#include "base/error.hpp"
#include "fixtures/schedule_problem.hpp"
#include "schedule/problem/bounds.hpp"
#include "schedule/schedulers/list_scheduler.hpp"
#include "schedule/validation/validate.hpp"

namespace tilewright::schedule::latency_test {
namespace {

constexpr TileShape kTile{7, 5, 40, 70, 3, 2};

TEST(LatencyExpression, ComputesOnTheSizesOfATile) {
    const auto cycles = [](const char* text) { return LatencyExpression(text).cycles(kTile); };
    EXPECT_EQ(cycles("ow + 2 * oh"), 17);
    EXPECT_EQ(cycles("(ow + 2) * oh"), 45);
    EXPECT_EQ(cycles("100 - ow - oh"), 88);
    EXPECT_EQ(cycles("ic / 32"), 2);  // rounded up in the end
    EXPECT_EQ(cycles("floor(ic / 32)"), 1);
    EXPECT_EQ(cycles("oc / 7 / 2 - -1"), 6);
    EXPECT_EQ(cycles("min(ow, oh) + max(kw,kh)"), 8);
    EXPECT_EQ(cycles("1.5*oh"), 8);
}

TEST(LatencyExpression, SaysWhatIsWrongAndWhere) {
    const std::pair<const char*, const char*> mistakes[] = {
        {"", "expected a number, ow"}, {"ow +", "at character 5"},     {"ow oh", "expected an operator"},
        {"width", "at character 1"},   {"ceil(ow", "expected ')'"},    {"min(ow)", "expected ','"},
        {"2 * (ow", "expected ')'"},   {"1e5", "expected an operator"}};
    for (const auto& [text, message] : mistakes) {
        try {
            const LatencyExpression read{text};
            ADD_FAILURE() << text;
        } catch (const InputError& error) {
            EXPECT_THAT(error.what(), testing::HasSubstr(message)) << text;
        }
    }
    EXPECT_THROW(LatencyExpression(std::string(5000, '(')), InputError);
    EXPECT_THROW(LatencyExpression(std::string(500, '(')), InputError);
    for (const char* text : {"ow - 100", "1 / (ow - 7)", "0", "ow * 10000000000000000"})
        EXPECT_THROW(LatencyExpression(text).cycles(kTile), InputError) << text;
}

// The array's formula, spelled out, gives the same schedules; any other gives legal ones above its bounds.
TEST(LatencyExpression, TimesTheOperationsOfSchedules) {
    Random random(9);
    for (int i = 0; i < 60; ++i) {
        Problem problem = random_problem(random, 40);
        const Schedule formula = list_schedule(make_graph(problem), {});
        const CoreArray& array = problem.machine.array;
        problem.machine.latency = LatencyExpression("ceil(ic/" + std::to_string(array.in_channels) + ") * ceil(oc/" +
                                                    std::to_string(array.out_channels) + ") * ow * oh * kw * kh + " +
                                                    std::to_string(array.fill_cycles));
        ASSERT_EQ(list_schedule(make_graph(problem), {}), formula) << i;
        problem.machine.latency = LatencyExpression("max(20, ow * oh * (ic + oc)) / 3");
        const Schedule other = list_schedule(make_graph(problem), {});
        ASSERT_TRUE(validate(problem, other).empty()) << i;
        ASSERT_LE(bounds_of(problem, LatencyRule::overlap).latency_cycles, other.latency_cycles) << i;
    }
}

}  // namespace
}  // namespace tilewright::schedule::latency_test
