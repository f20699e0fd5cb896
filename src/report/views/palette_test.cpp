#include "report/views/parts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "report/plot/canvas.hpp"
#include "report/views/figures.hpp"

namespace tilewright::views::palette_test {
namespace {

Run sample(const std::vector<std::string>& memories, const std::vector<std::string>& tensors) {
    views::Run run;
    run.title = "net on machine";
    run.units = 4;
    Layer& layer = run.layers.emplace_back();
    layer.name = "fc";
    layer.costs.emplace();
    layer.costs->computes = layer.costs->cycles = layer.costs->energy_pj = layer.costs->compute_energy_pj = 10;
    for (const std::string& name : memories) {
        run.memories.emplace_back().name = name;
        MemoryCosts& costs = layer.costs->memories.emplace_back();
        costs.memory = name;
        costs.leakage_pj = 1;
        for (const std::string& tensor : tensors) costs.tensors.push_back({tensor, 1, 2, 3, 4, 5, 6, 7});
    }
    for (const std::string& tensor : tensors) layer.tensors.push_back({tensor, 8, tensor == tensors.back(), 0});
    layer.costs->cycle_parts = {{"all units at work", 5}, {"idle units", 1}, {"waiting for DRAM (read bandwidth)", 4}};
    return run;
}

TEST(Palette, NoColourTwiceInAPicture) {
    const views::Run run =
        sample({"DRAM", "L2", "L1", "buffer", "registers", "more", "most"}, {"A", "B", "C", "D", "E", "F", "Z"});
    std::size_t compared = 0;
    for (const FigureKind& kind : figure_kinds())
        for (const Figure& figure : kind.figures({run, run})) {
            const auto* chart = std::get_if<plot::StackedBars>(&figure.chart);
            if (chart == nullptr) continue;
            std::set<std::string> colours;
            for (std::size_t p = 0; p < chart->parts.size(); ++p)
                EXPECT_TRUE(colours.insert(plot::part_colour(*chart, p)).second)
                    << kind.name << ' ' << chart->parts[p].name;
            compared += colours.size();
        }
    EXPECT_GE(compared, 60U);
}

TEST(Palette, FanOutsWhoseWiresCostEnergyAreMemoriesToo) {
    views::Run run = sample({"DRAM", "array", "L1"}, {"A", "Z"});
    run.memories[1].spreads_only = true;
    EXPECT_NE(Palette({run}).colour("array"), "");
    for (TensorCosts& tensor : run.layers[0].costs->memories[1].tensors) tensor.energy_pj = tensor.link_energy_pj = 0.0;
    run.layers[0].costs->memories[1].leakage_pj = 0.0;
    EXPECT_EQ(Palette({run}).colour("array"), "");
}

TEST(Palette, ANameHasOneColourInEveryPicture) {
    const views::Run run = sample({"DRAM", "L1"}, {"A", "B", "C"});
    const Palette palette({run});
    std::map<std::string, std::string> met;
    for (const FigureKind& kind : figure_kinds())
        for (const Figure& figure : kind.figures({run, run})) {
            const auto* chart = std::get_if<plot::StackedBars>(&figure.chart);
            if (chart == nullptr) continue;
            for (const plot::Part& part : chart->parts)
                EXPECT_EQ(met.emplace(part.name, part.colour).first->second, part.colour) << part.name;
        }
    EXPECT_GE(met.size(), 9U);
    EXPECT_EQ(met["DRAM"], palette.colour("DRAM"));
    EXPECT_EQ(met["A"], palette.colour("A"));
    EXPECT_EQ(palette.colour("waiting for DRAM (read bandwidth)"), palette.colour("DRAM"));
    EXPECT_EQ(palette.colour("compute units"), palette.colour("arithmetic"));
    EXPECT_EQ(palette.colour("unknown"), "");
}

TEST(Palette, MemoriesThatOnlyAnotherRunHasAreAFamilyOfTheirOwn) {
    const Palette palette({sample({"DRAM", "L1"}, {"A", "Z"}), sample({"DRAM", "L2", "L3"}, {"A", "Z"})});
    EXPECT_EQ(palette.colour("DRAM"), plot::ramp_colour(0.0));
    EXPECT_EQ(palette.colour("L1"), plot::ramp_colour(1.0));
    EXPECT_EQ(palette.colour("L2"), plot::other_ramp_colour(0.0));
    EXPECT_EQ(palette.colour("L3"), plot::other_ramp_colour(1.0));
}

TEST(Palette, OperandsOfSchedulesHaveTheColoursOfTensors) {
    EXPECT_EQ(plot::known_colour("load weight"), plot::known_colour("weight"));
    EXPECT_EQ(plot::known_colour("store output"), plot::known_colour("output"));
    const Palette palette({sample({"DRAM"}, {"Weights", "Inputs", "Outputs"})});
    EXPECT_EQ(palette.colour("weight"), palette.colour("Weights"));
    EXPECT_EQ(palette.colour("output"), palette.colour("Outputs"));
    EXPECT_EQ(plot::kind_colour({"weight", "another"}, 0), palette.colour("Weights"));
    EXPECT_EQ(plot::kind_colour({"weight", "another"}, 1), plot::colour_of(1));
}

TEST(Palette, TheColoursAreAsManyAsItSays) {
    std::set<std::string> colours;
    for (std::size_t k = 0; k < plot::kColours; ++k) colours.insert(plot::colour_of(k));
    EXPECT_EQ(colours.size(), plot::kColours);
    EXPECT_EQ(plot::ramp_colour(0.0), "#43388f");
    EXPECT_EQ(plot::ramp_colour(1.0), "#f0a3b4");
    EXPECT_EQ(plot::tint("#000000"), "#808080");
}

}  // namespace
}  // namespace tilewright::views::palette_test
