#include "maestro/files/named.hpp"

#include <gtest/gtest.h>

#include <map>

#include "maestro/cost/cost.hpp"

namespace tilewright::maestro::named_test {
namespace {

dataflow::Layer conv3() {
    dataflow::Layer layer;
    layer.name = "conv3";
    layer.extents[dataflow::Axis::K] = 16;
    layer.extents[dataflow::Axis::C] = 8;
    layer.extents[dataflow::Axis::R] = layer.extents[dataflow::Axis::S] = 3;
    layer.extents[dataflow::Axis::Y] = layer.extents[dataflow::Axis::X] = 15;
    return layer;
}

TEST(NamedDataflows, TheFiveOfTable2AreFive) {
    std::map<std::string, std::string> name_of;
    for (const NamedDataflow& one : named_dataflows()) {
        if (one.name == "xp_ws") continue;  // the public files' name of the paper's OS
        EXPECT_TRUE(name_of.emplace(one.text, one.name).second) << one.name << " is " << name_of[one.text];
    }
}

TEST(NamedDataflows, WeightStationaryKeepsItsWeights) {
    const dataflow::Layer layer = conv3();
    dataflow::Hardware hardware;
    hardware.units = 13;
    const dataflow::LayerCost cost = cost_of(layer, fitted(named_dataflow("ws"), layer, {}), {}, hardware);
    ASSERT_TRUE(cost.counts);
    EXPECT_TRUE(cost.findings.empty());
    EXPECT_EQ(cost.counts->operations, 16 * 8 * 9 * 13 * 13);
    // Each filter goes out once, to all units; a unit has a window of 5 x 3, a filter and three sums, twice.
    EXPECT_EQ(cost.counts->levels[0].filter.multicast, 16 * 8 * 9);
    EXPECT_EQ(cost.counts->levels[0].filter.unicast, 16 * 8 * 9 * 13);
    EXPECT_EQ(cost.l1_bytes, 2 * (5 * 3 + 9 + 3));
    // Three rows of the output a step: ceil(13 / 3) for each filter.
    EXPECT_EQ(cost.counts->levels[0].steps, 16 * 8 * 5);
    const dataflow::LayerCost rows = cost_of(layer, fitted(named_dataflow("shidiannao"), layer, {}), {}, hardware);
    EXPECT_EQ(rows.counts->levels[0].steps, 16 * 8 * 13);
    EXPECT_EQ(rows.l1_bytes, 2 * (3 * 3 + 9 + 1));
}

}  // namespace
}  // namespace tilewright::maestro::named_test
