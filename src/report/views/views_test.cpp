#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/views/figures.hpp"

namespace tilewright::views::views_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// One layer of 100 multiply-accumulates on 4 units behind a memory of two words a cycle.
Run sample() {
    Run run;
    run.title = "net on tiny";
    run.units = 4;
    run.memories = {{"DRAM", 1.0, {}, {}, {}, {}}, {"Buffer", 2.0, 1.0, {}, {}, {}}};
    Costs costs;
    costs.computes = 100;
    costs.cycles = 50;
    costs.energy_pj = 4600;
    costs.compute_energy_pj = 100;
    costs.memories = {{"DRAM", 0, 0, {{"A", 0, 40, 0, 0, 4000, 0, 0}}},
                      {"Buffer", 8, 100, {{"A", 8, 100, 40, 0, 300, 50, 100}}}};
    costs.cycle_parts = {{"all units at work", 25}, {"waiting", 25}};
    Layer layer;
    layer.name = "fc";
    layer.repeats = 3;
    layer.tensors = {{"A", 40, false}};
    layer.costs = costs;
    Layer failed;
    failed.name = "huge";
    failed.failures = {"does not fit"};
    run.layers = {layer, failed};
    return run;
}

const plot::StackedBars& bars_of(const Figure& figure) { return std::get<plot::StackedBars>(figure.chart); }
const plot::Plane& plane_of(const Figure& figure) { return std::get<plot::Plane>(figure.chart); }

double sum_of(const plot::StackedBars& chart) {
    double sum = 0.0;
    for (const plot::Part& part : chart.parts)
        for (const double value : part.values) sum += value;
    return sum;
}

TEST(Views, TotalsCountRepeats) {
    const Totals sum = totals(sample());
    EXPECT_EQ(sum.computes, 300);
    EXPECT_EQ(sum.cycles, 150);
    EXPECT_EQ(sum.layers, 4);
    EXPECT_EQ(sum.missing, 1);
}

// Each picture of energy or cycles shows all of it.
TEST(Views, StacksAddUpToTheTotals) {
    const std::vector<views::Run> runs{sample(), sample()};
    const double energy = totals(sample()).energy_pj * 1e-12;
    EXPECT_NEAR(sum_of(bars_of(energy_figures(runs)[0])), energy, 1e-18);
    EXPECT_NEAR(sum_of(bars_of(latency_figures(runs)[1])), 150, 1e-9);
    EXPECT_NEAR(sum_of(bars_of(network_figures(runs)[0])), energy, 1e-18);
    EXPECT_NEAR(sum_of(bars_of(network_figures(runs)[1])), energy, 1e-18);
    EXPECT_NEAR(sum_of(bars_of(comparison_figures(runs)[0])), 2 * energy, 1e-18);
    EXPECT_NEAR(sum_of(bars_of(comparison_figures(runs)[1])), 300, 1e-9);
    EXPECT_NEAR(sum_of(bars_of(traffic_figures(runs)[0])), 3 * 180, 1e-9);
}

TEST(Views, ARooflineForEveryPortWithABandwidth) {
    const std::vector<Figure> figures = roofline_figures({sample()});
    ASSERT_THAT(figures, SizeIs(1));
    const plot::Plane& chart = plane_of(figures[0]);
    ASSERT_THAT(chart.series, SizeIs(2));  // Buffer's reads and their roof
    EXPECT_THAT(chart.series[0].marks, ElementsAre(plot::Mark{1.0, 2.0, "fc"}));
    EXPECT_EQ(chart.series[1].marks[1], (plot::Mark{2.0, 4.0, ""}));  // two words a cycle meet four units
}

TEST(Views, RooflinesHaveOneRoofAndTheBusiestPortIsFirst) {
    views::Run run = sample();
    run.memories[0].shared_words_per_cycle = 0.5;  // 40 words take 80 cycles, the buffer's 100 take 50
    const std::vector<Figure> figures = roofline_figures({run});
    ASSERT_THAT(figures, SizeIs(2));
    EXPECT_EQ(plot::title_of(figures[0].chart), "Roofline of DRAM: net on tiny");
    for (const Figure& figure : figures) {
        EXPECT_THAT(plane_of(figure).series, SizeIs(2));
        EXPECT_TRUE(plane_of(figure).series[0].labelled);
    }
}

TEST(Views, WhatIsNotThereIsNotDrawn) {
    views::Run run = sample();
    run.layers[0].costs.reset();
    for (const FigureKind& kind : figure_kinds()) EXPECT_THAT(kind.figures({run}), IsEmpty()) << kind.name;
    EXPECT_THAT(pareto_figures({sample()}), IsEmpty());
    EXPECT_THAT(comparison_figures({sample()}), IsEmpty());
}

TEST(Views, FrontsAreDrawnByLayer) {
    views::Run run = sample();
    run.layers[0].front = {{10, 5, {}}, {5, 10, {}}};
    const std::vector<Figure> figures = pareto_figures({run});
    ASSERT_THAT(figures, SizeIs(1));
    EXPECT_THAT(plane_of(figures[0]).series, SizeIs(1));
    EXPECT_THAT(plane_of(figures[0]).series[0].marks, SizeIs(2));
}

TEST(Views, TheNetworksFrontStandsBeforeThoseOfItsLayers) {
    views::Run run = sample();
    run.layers[1] = run.layers[0];
    run.layers[0].front = {{10, 5, {}}, {5, 10, {}}};
    run.layers[1].front = {{20, 5, {}}, {4, 10, {}}};
    const std::vector<Figure> figures = pareto_figures({run});
    ASSERT_THAT(figures, SizeIs(2));
    const std::vector<plot::Mark>& marks = plane_of(figures[0]).series[1].marks;
    ASSERT_THAT(marks, SizeIs(3));  // the steeper layer changes first
    EXPECT_EQ(marks[0].x, 30);
    EXPECT_EQ(marks[1].x, 45);
    EXPECT_NEAR(marks[1].y, (3 * 10 + 3 * 4) * 1e-12, 1e-18);
    const std::vector<plot::Mark>& named = plane_of(figures[0]).series[2].marks;
    ASSERT_THAT(named, SizeIs(2));  // 30 * 90, 45 * 42 and 60 * 27: the last is two of them
    EXPECT_EQ(named[0].label, "fastest");
    EXPECT_EQ(named[1].label, "least energy-delay product, least energy");
}

TEST(Views, TensorsOfDifferentNamesAreToldApartByRole) {
    views::Run run = sample();
    run.layers[1] = run.layers[0];
    run.layers[1].tensors[0].name = "B";
    run.layers[1].costs->memories[0].tensors[0].tensor = "B";
    run.layers[1].costs->memories[1].tensors[0].tensor = "B";
    EXPECT_EQ(bars_of(network_figures({run})[0]).parts[0].name, "operand 1");
    EXPECT_EQ(bars_of(network_figures({sample()})[0]).parts[0].name, "A");
}

TEST(Views, TitlesAreMadeDistinct) {
    std::vector<views::Run> runs{sample(), sample(), sample(), sample()};
    runs[0].accounting = "exact";
    runs[1].accounting = "timeloop";
    runs[2].accounting = "timeloop";
    runs[3].title = "other";
    make_titles_distinct(runs);
    EXPECT_EQ(runs[0].title, "net on tiny, exact");
    EXPECT_EQ(runs[1].title, "net on tiny, timeloop");
    EXPECT_EQ(runs[2].title, "net on tiny, timeloop (2)");
    EXPECT_EQ(runs[3].title, "other");
}

}  // namespace
}  // namespace tilewright::views::views_test
