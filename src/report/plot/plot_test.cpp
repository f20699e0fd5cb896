#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "report/plot/canvas.hpp"
#include "report/plot/chart.hpp"
#include "report/plot/ruler.hpp"

namespace tilewright::plot::plot_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

StackedBars bars(std::size_t count) {
    StackedBars chart{"Energy", {}, {"energy", "J"}, {{"DRAM", {}}, {"Buffer", {}}}};
    for (std::size_t i = 0; i < count; ++i) {
        chart.bars.push_back("layer" + std::to_string(i));
        chart.parts[0].values.push_back(1e-3);
        chart.parts[1].values.push_back(2e-3);
    }
    return chart;
}

std::size_t count_of(const std::string& text, const std::string& what) {
    std::size_t count = 0;
    for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++count;
    return count;
}

TEST(Markup, TextNeverBecomesMarkup) {
    EXPECT_EQ(escaped("<script>\"&'"), "&lt;script&gt;&quot;&amp;&#39;");
    EXPECT_EQ(escaped("caf\xC3\xA9 \xF0\x9F\x98\x80"), "caf\xC3\xA9 \xF0\x9F\x98\x80");
}

TEST(Markup, WhatXmlCannotHoldIsReplaced) {
    const std::string bad = "\xEF\xBF\xBD";
    EXPECT_EQ(escaped(std::string("a\0b\x1B", 4)), "a" + bad + "b" + bad);
    EXPECT_EQ(escaped("\xFFz\xC0\xAF"), bad + "z" + bad + bad);  // overlong '/'
    EXPECT_EQ(escaped("\xED\xA0\x80"), bad + bad + bad);         // a surrogate
    EXPECT_EQ(escaped("a\xE2\x80\xAE"
                      "b"),
              "a" + bad + "b");                                     // right-to-left override
    EXPECT_EQ(escaped("\xF4\x90\x80\x80"), bad + bad + bad + bad);  // beyond U+10FFFF
    EXPECT_EQ(escaped("\xE2\x82"), bad + bad);                      // cut off
}

TEST(Markup, LongTextIsCutBetweenCharacters) {
    EXPECT_EQ(shortened("abcd", 4), "abcd");
    EXPECT_EQ(shortened("abcde", 4), "abc\xE2\x80\xA6");
    EXPECT_EQ(shortened("\xC3\xA9\xC3\xA9\xC3\xA9", 2), "\xC3\xA9\xE2\x80\xA6");
}

TEST(Scale, TicksAreRound) {
    EXPECT_THAT(linear_ticks(10.0, 5), ElementsAre(0.0, 2.0, 4.0, 6.0, 8.0, 10.0));
    EXPECT_THAT(linear_ticks(0.9, 4), ElementsAre(0.0, 0.25, 0.5, 0.75, 1.0));
    EXPECT_THAT(decades(20.0, 3000.0), ElementsAre(10.0, 100.0, 1000.0, 10000.0));
    for (const double largest : {1e-30, 3.3, 7e8, 1e30}) {
        const std::vector<double> ticks = linear_ticks(largest, 5);
        EXPECT_GE(ticks.back(), largest * (1 - 1e-9));
        EXPECT_LE(ticks.size(), 12U);
        EXPECT_LE(decades(1e-30, largest).size(), 12U);
    }
}

TEST(Scale, PrefixesAreSI) {
    EXPECT_EQ(prefix_for(1.5e-3).symbol, "m");
    EXPECT_EQ(prefix_for(999.0).symbol, "");
    EXPECT_EQ(prefix_for(1000.0).symbol, "k");
    EXPECT_EQ(prefix_for(0.0).factor, 1.0);
    EXPECT_EQ(prefix_for(1e40).factor, 1.0);
    EXPECT_EQ(axis_title("energy", "J", prefix_for(2e-6)), "energy [uJ]");
    EXPECT_EQ(axis_title("latency", "cycles", prefix_for(2e6)), "latency [10⁶ cycles]");
    EXPECT_EQ(axis_title("rank", "", {}), "rank");
    EXPECT_EQ(axis_title("cycles", "cycles", {}), "cycles");
    EXPECT_EQ(axis_title("cycles", "cycles", prefix_for(2e6)), "10⁶ cycles");
}

TEST(Chart, BinsKeepTheSum) {
    const StackedBars chart = binned(bars(10001), 400);
    EXPECT_LE(chart.bars.size(), 400U);
    double sum = 0.0;
    for (const double value : chart.parts[1].values) sum += value;
    EXPECT_NEAR(sum, 10001 * 2e-3, 1e-9);
    EXPECT_EQ(chart.bars.front(), "layer0 to layer25");
    EXPECT_EQ(binned(bars(400), 400), bars(400));
}

TEST(Svg, ABoxForEveryPartOfEveryBar) {
    const std::string picture = svg(bars(7));
    EXPECT_EQ(count_of(picture, "<rect"), 7U * 2 + 2);  // and two in the legend
    EXPECT_THAT(picture, HasSubstr("<title>layer3: DRAM 1 mJ</title>"));
    EXPECT_THAT(picture, HasSubstr("energy [mJ]"));
    EXPECT_EQ(picture, svg(bars(7)));
}

TEST(Svg, NoScriptsStylesOrLinks) {
    StackedBars chart = bars(2);
    chart.title = "</svg><script>alert(1)</script>";
    chart.bars[0] = "\" onload=\"alert(1)";
    chart.parts[0].name = "<img src=x onerror=alert(1)>";
    for (const Chart& one :
         {Chart(chart), Chart(Plane{chart.title, {}, {}, {{chart.parts[0].name, false, {{1, 1, chart.bars[0]}}}}}),
          Chart(HeatMap{chart.title, {chart.bars[0]}, {chart.parts[0].name}, {}, {{1.0}}})}) {
        const std::string picture = svg(one);
        EXPECT_THAT(picture, Not(HasSubstr("<script")));
        EXPECT_THAT(picture, Not(HasSubstr("<img")));
        EXPECT_THAT(picture, Not(HasSubstr("\" onload")));
        EXPECT_THAT(picture, Not(HasSubstr("style")));
        EXPECT_EQ(count_of(picture, "</svg>"), 1U);
    }
}

TEST(Svg, MarksWithoutAPlaceAreLeftOutAndOnesOnTopOfEachOtherDrawnOnce) {
    Plane chart{"front", {"latency", "cycles", true}, {"energy", "J", true}, {}};
    chart.series.push_back({"a", false, {{1, 1, "one"}, {0, 1, "zero"}, {10, 100, "three"}}});
    chart.series.back().marks.push_back({std::numeric_limits<double>::infinity(), 1, "never"});
    EXPECT_EQ(count_of(svg(chart), "<circle"), 2U);
    Series many{"many", false, {}};
    for (int i = 0; i < 100000; ++i) many.marks.push_back({1.0 + i % 1000, 1.0 + i / 1000, ""});
    chart.series = {many};
    const std::string picture = svg(chart);
    EXPECT_LT(count_of(picture, "<circle"), 60000U);
    EXPECT_GT(count_of(picture, "<circle"), 100U);
}

TEST(Svg, NothingToDrawIsAnEmptyPicture) {
    for (const Chart& chart : {Chart(StackedBars{}), Chart(Plane{}), Chart(HeatMap{}),
                               Chart(Plane{"t", {}, {"", "", true}, {{"s", false, {{0, 0, ""}}}}}),
                               Chart(StackedBars{"t", {"b"}, {}, {{"p", {0.0}}}})}) {
        const std::string picture = svg(chart);
        EXPECT_THAT(picture, HasSubstr("</svg>"));
        EXPECT_THAT(picture, Not(HasSubstr("nan")));
        EXPECT_THAT(picture, Not(HasSubstr("inf")));
    }
}

TEST(Blocks, RowsGoDownwardsAndRangesUpwards) {
    Blocks chart{"Cores", {"time", "cycles"}, {"core 0", "core 1"}, {}, {"operation", "load"}, {}};
    chart.blocks = {{0, 10, 0, 1, 0, "first"}, {5, 20, 1, 2, 1, "second"}};
    const std::string rows = svg(chart);
    EXPECT_THAT(rows, HasSubstr("core 1"));
    EXPECT_THAT(rows, HasSubstr("<title>second</title>"));
    EXPECT_EQ(count_of(rows, "<title>"), 2U);
    chart.rows.clear();
    chart.y = {"address", "bytes"};
    EXPECT_THAT(svg(chart), HasSubstr("address [bytes]"));
}

TEST(Blocks, ThoseTooShortToBeToldApartAreOne) {
    Blocks chart{"", {}, {"core"}, {}, {"a", "b"}, {}};
    chart.blocks = {{0, 1, 0, 1, 0, "x"},
                    {1, 2, 0, 1, 0, "y"},
                    {2, 3, 0, 1, 1, "z"},
                    {50, 51, 0, 1, 0, "late"},
                    {51, 90, 0, 1, 0, "long"}};
    const Blocks few = merged(chart, 5.0);
    ASSERT_EQ(few.blocks.size(), 4U);
    EXPECT_EQ(few.blocks[0], (Block{0, 2, 0, 1, 0, ""}));
    EXPECT_EQ(few.blocks[1].label, "z") << "another kind";
    EXPECT_EQ(few.blocks[3].label, "long") << "long enough to be seen";
    EXPECT_EQ(merged(chart, 0.0).blocks.size(), 5U);
}

TEST(Blocks, NothingIsAPictureToo) { EXPECT_THAT(svg(Blocks{"Empty", {}, {}, {}, {}, {}}), HasSubstr("Empty")); }

// Values from 90 to 110 do not stand in the upper corner of an axis from 0.
TEST(Ruler, FitsTheData) {
    const auto over = [](bool logarithmic, std::vector<double> values) {
        Series series{"a", false, {}};
        for (const double value : values) series.marks.push_back({value, value, ""});
        return ruler_of({"x", "", logarithmic}, {series}, &Mark::x);
    };
    EXPECT_THAT(over(false, {90, 110}).ticks, ElementsAre(90, 95, 100, 105, 110));
    EXPECT_EQ(over(false, {10, 110}).low, 0.0);
    EXPECT_THAT(over(true, {30, 400}).ticks, ElementsAre(20, 50, 100, 200, 500));
    EXPECT_THAT(over(true, {3, 4e6}).ticks, ElementsAre(10, 1e2, 1e3, 1e4, 1e5, 1e6));
    int compared = 0;
    for (const double least : {1e-12, 0.3, 1.0, 7.7, 99.0, 12345.0})
        for (const double ratio : {1.0, 1.001, 1.3, 2.5, 30.0, 1e3, 1e9})
            for (const bool logarithmic : {false, true}) {
                const Ruler ruler = over(logarithmic, {least, least * ratio});
                EXPECT_GE(ruler.place(least), -1e-9);
                EXPECT_LE(ruler.place(least * ratio), 1.0 + 1e-9);
                EXPECT_GE(ruler.ticks.size(), 2U) << least << ' ' << ratio;
                EXPECT_LE(ruler.ticks.size(), 14U) << least << ' ' << ratio;
                if (ratio > 2.5 || (ratio > 1.0 && ratio < 1.5)) {
                    EXPECT_GT(ruler.place(least * ratio) - ruler.place(least), 0.4) << least << ' ' << ratio;
                    ++compared;
                }
            }
    EXPECT_GE(compared, 40);
}

TEST(Ruler, NoTwoTicksReadTheSame) {
    int compared = 0;
    for (const double width : {1.0, 1e-2, 1e-4, 1e-6, 1e-8}) {
        const Series series{"a", false, {{3.98061, 1, ""}, {3.98061 * (1.0 + width), 1, ""}}};
        const Ruler ruler = ruler_of({"energy", "J", false}, {series}, &Mark::x);
        for (std::size_t i = 1; i < ruler.ticks.size(); ++i, ++compared)
            EXPECT_NE(ruler.text(ruler.ticks[i - 1]), ruler.text(ruler.ticks[i])) << width;
    }
    EXPECT_GE(compared, 20);
}

TEST(Svg, AMapOfManyRowsIsHigher) {
    HeatMap map{"links", {}, {"a"}, {}, {}};
    for (int r = 0; r < 60; ++r) {
        map.rows.push_back("row " + std::to_string(r));
        map.cells.push_back({1.0});
    }
    EXPECT_THAT(svg(map), HasSubstr("viewBox=\"0 0 900 1020\""));
}

TEST(Svg, AMapHasAScaleOfItsColours) {
    const std::string drawn = svg(HeatMap{"links", {"r"}, {"a"}, {"load", "%"}, {{64.0}}});
    EXPECT_THAT(drawn, HasSubstr("load [%]  0</text>"));
    EXPECT_THAT(drawn, HasSubstr(">64</text>"));
}

TEST(Svg, LegendsNameWhatIsDrawn) {
    const std::string drawn = svg(StackedBars{"t", {"bar"}, {"x", ""}, {{"there", {1.0}, ""}, {"nowhere", {0.0}, ""}}});
    EXPECT_THAT(drawn, HasSubstr(">there</text>"));
    EXPECT_THAT(drawn, Not(HasSubstr("nowhere")));
}

TEST(Svg, LinesLeaveTheValuesOfUprightAxesFree) {
    Plane chart{"front", {"", "", false, {"a", "b"}}, {"", ""}, {{"one", true, {{1, 0.2, ""}, {2, 0.8, ""}}, -1}}, {}};
    EXPECT_THAT(svg(chart), Not(HasSubstr("<mask")));
    chart.scales.push_back({1, 0.2, "64"});
    const std::string drawn = svg(chart);
    const std::size_t group = drawn.find("<g mask=\"url(#around-");
    ASSERT_NE(group, std::string::npos);
    EXPECT_LT(group, drawn.find("<polyline"));
    EXPECT_LT(drawn.find("<polyline"), drawn.find("</g>"));
}

TEST(Svg, MarksAreLabelledWhereThereIsRoom) {
    Plane chart{"roofline", {"x", ""}, {"y", ""}, {{"port", false, {{1, 1, "conv1"}, {10, 10, "conv2"}}, 0, true}}};
    EXPECT_THAT(svg(chart), HasSubstr(">conv1</text>"));
    EXPECT_THAT(svg(chart), HasSubstr(">conv2</text>"));
    chart.series[0].marks.assign(50, {5, 5, "same"});  // all in one place: room for at most four labels
    for (int i = 0; i < 50; ++i) chart.series[0].marks[i].x = 5.0 + 0.05 * i;
    const std::size_t drawn = count_of(svg(chart), ">same</text>");
    EXPECT_GE(drawn, 1U);
    EXPECT_LT(drawn, 50U);
    chart.series[0].labelled = false;
    EXPECT_EQ(count_of(svg(chart), ">same</text>"), 0U);
}

TEST(Svg, NamesAreWholeWhereThereIsRoom) {
    StackedBars chart = bars(3);
    chart.bars[1] = "layer4.0.downsample of a long name";
    EXPECT_THAT(svg(chart), HasSubstr(">layer4.0.downsample of a long name</text>"));
    HeatMap map{"links", {"from router (0, 1) to router (0, 2)"}, {"a"}, {}, {{1.0}}};
    EXPECT_THAT(svg(map), HasSubstr(">from router (0, 1) to router (0, 2)</text>"));
}

TEST(Svg, ALegendSaysANameOnce) {
    Plane chart{"t", {}, {}, {{"same", false, {{1, 1, ""}}, 0}, {"same", false, {{2, 2, ""}}, 0}}};
    EXPECT_EQ(count_of(svg(chart), ">same</text>"), 1U);
}

}  // namespace
}  // namespace tilewright::plot::plot_test
