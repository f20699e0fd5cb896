#include "report/plot/chart.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "report/views/figures.hpp"

namespace tilewright::views::thinning_test {
namespace {

const plot::Axis kLinear{"x", "", false};
const plot::Axis kLog{"y", "", true};

// A Pareto curve.
std::vector<plot::PlacedPoint> curve(int count) {
    std::vector<plot::PlacedPoint> points;
    for (int i = 0; i < count; ++i) points.push_back({1.0 + i, 1e9 / (1.0 + i)});
    return points;
}

TEST(Thinning, FewPointsAreAllDrawn) {
    EXPECT_EQ(plot::drawn_points(curve(4000), kLinear, kLinear).size(), 4000U);
    EXPECT_EQ(plot::drawn_text(7, 7, "designs"), "");
}

TEST(Thinning, ManyPointsAreDrawnWhereTheyLieApart) {
    const std::vector<plot::PlacedPoint> points = curve(100000);
    for (const plot::Axis& axis : {kLinear, kLog}) {
        const std::vector<std::size_t> drawn = plot::drawn_points(points, axis, axis);
        EXPECT_LE(drawn.size(), plot::kMostMarks);
        EXPECT_GT(drawn.size(), 200U);
        EXPECT_EQ(drawn.front(), 0U);
        EXPECT_TRUE(std::is_sorted(drawn.begin(), drawn.end()));
    }
    EXPECT_EQ(plot::drawn_text(612, 100000, "mappings"),
              "Of 100000 mappings 612 are drawn, one wherever several would cover each other.");
}

// Every point has a drawn neighbour within a cell of the coarsest grid needed.
TEST(Thinning, NothingThatStandsAloneIsLost) {
    std::vector<plot::PlacedPoint> points(100000, plot::PlacedPoint{1.0, 1.0});
    points[50001] = {100.0, 3.0};
    points[99999] = {7.0, 80.0};
    EXPECT_THAT(plot::drawn_points(points, kLinear, kLinear), testing::ElementsAre(0U, 50001U, 99999U));
    points[4] = {0.0, 5.0};  // outside a logarithmic axis
    points[5] = {std::nan(""), 5.0};
    EXPECT_THAT(plot::drawn_points(points, kLog, kLog), testing::ElementsAre(0U, 50001U, 99999U));
}

TEST(Thinning, ALongFrontSaysWhatIsDrawn) {
    views::Run run;
    run.title = "a run";
    Layer& layer = run.layers.emplace_back();
    layer.name = "conv";
    for (const plot::PlacedPoint& point : curve(100000))
        layer.front.push_back({point.y, static_cast<std::int64_t>(point.x), {}});
    const std::vector<Figure> figures = pareto_figures({run});
    ASSERT_EQ(figures.size(), 1U);
    EXPECT_THAT(figures[0].caption, testing::HasSubstr("Of 100000 mappings "));
    const plot::Plane& chart = std::get<plot::Plane>(figures[0].chart);
    EXPECT_LE(chart.series[0].marks.size(), plot::kMostMarks);
    EXPECT_EQ(chart.series[0].marks[0].label, "mapping 1");
}

}  // namespace
}  // namespace tilewright::views::thinning_test
