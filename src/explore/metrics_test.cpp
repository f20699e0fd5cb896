#include "explore/metrics.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/numbers/random.hpp"

namespace tilewright::explore::metrics_test {
namespace {

using testing::HasSubstr;

const std::vector<Metric> kMetrics{{"energy_pj", "energy", false}, {"area_mm2", "area", false}, {"speed", "", true}};
const Location kWhere{"--limit"};

std::string message_of(const std::string& text) {
    try {
        static_cast<void>(parse_condition(text, kMetrics, nullptr, kWhere));
    } catch (const InputError& error) {
        return error.message();
    }
    return "";
}

TEST(Condition, IsOnAMetricByNameOrAlias) {
    const Condition limit = parse_condition("area <= 16", kMetrics, nullptr, kWhere);
    EXPECT_EQ(to_text(limit), "area_mm2<=16");
    EXPECT_TRUE(limit.holds(16.0));
    EXPECT_FALSE(limit.holds(16.1));
    EXPECT_TRUE(parse_condition("speed>=2", kMetrics, nullptr, kWhere).holds(2.0));
    EXPECT_TRUE(parse_condition("speed!=2", kMetrics, nullptr, kWhere).holds(3.0));
    EXPECT_TRUE(parse_condition("speed=2", kMetrics, nullptr, kWhere).holds(2.0));
    EXPECT_TRUE(parse_condition("speed>2", kMetrics, nullptr, kWhere).holds(2.5));
}

TEST(Condition, OnWhatIsNotMeasuredNamesTheNearest) {
    EXPECT_THAT(message_of("enery<16"), HasSubstr("'enery' is not measured; did you mean 'energy'?"));
    EXPECT_THAT(message_of("voltage<1"), HasSubstr("there are energy_pj, area_mm2 and speed"));
    EXPECT_THAT(message_of("area<much"), HasSubstr("expected a condition"));
    for (const char* number : {"nan", "-nan", "inf", "-inf", "infinity", "1e999"})
        EXPECT_THAT(message_of(std::string("area<") + number), HasSubstr("expected a condition")) << number;
    EXPECT_THAT(message_of("area"), HasSubstr("expected a condition"));
}

TEST(Condition, MayBeOnAKnob) {
    const Space space({parse_knob("a.depth=4k,8k", kWhere), parse_knob("kind=x,y", kWhere)});
    const Condition deep = parse_condition("a.depth>=8k", kMetrics, &space, kWhere);
    EXPECT_FALSE(satisfies({1, Status::valid, {1, 1, 1}, {}}, deep, kMetrics, space));
    EXPECT_TRUE(satisfies({2, Status::valid, {1, 1, 1}, {}}, deep, kMetrics, space));
    EXPECT_FALSE(satisfies({2, Status::failed, {}, "x"}, deep, kMetrics, space));
    EXPECT_FALSE(satisfies({0, Status::valid, {1, 1, 1}, {}}, parse_condition("kind=1", kMetrics, &space, kWhere),
                           kMetrics, space));
}

// The definition, pair by pair.
bool is_beaten(const Row& row, const std::vector<Row>& rows, const std::vector<std::size_t>& objectives) {
    for (const Row& other : rows) {
        if (other.status != Status::valid) continue;
        bool as_good = true;
        bool better = false;
        for (const std::size_t i : objectives) {
            const double sign = kMetrics[i].more_is_better ? -1.0 : 1.0;
            as_good = as_good && sign * other.values[i] <= sign * row.values[i];
            better = better || sign * other.values[i] < sign * row.values[i];
        }
        if (as_good && better) return true;
    }
    return false;
}

TEST(ParetoFront, IsWhatTheDefinitionSays) {
    Random random(5);
    int compared = 0;
    for (int round = 0; round < 300; ++round) {
        std::vector<Row> rows;
        for (Point point = 0; point < random.between(0, 40); ++point) {
            const auto status = static_cast<Status>(random.below(3));
            std::vector<double> values;
            for (int i = 0; i < 3 && status != Status::failed; ++i)
                values.push_back(static_cast<double>(random.below(6)));
            rows.push_back({point, status, values, {}});
        }
        for (const std::vector<std::size_t>& objectives :
             {std::vector<std::size_t>{0}, {0, 1}, {1, 2}, {2, 0}, {0, 1, 2}}) {
            std::vector<Point> expected;
            for (const Row& row : rows)
                if (row.status == Status::valid && !is_beaten(row, rows, objectives)) expected.push_back(row.point);
            std::vector<Point> found;
            for (const Row& row : pareto_front(rows, objectives, kMetrics)) found.push_back(row.point);
            EXPECT_THAT(found, testing::UnorderedElementsAreArray(expected));
            ++compared;
        }
    }
    EXPECT_GE(compared, 1500);
}

}  // namespace
}  // namespace tilewright::explore::metrics_test
