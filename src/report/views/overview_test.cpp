#include "report/views/overview.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tilewright::views::overview_test {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

Layer layer_of(const std::string& name, const std::string& bound_memory, bool proven) {
    Layer layer;
    layer.name = name;
    layer.costs.emplace();
    layer.costs->computes = 100;
    layer.costs->cycles = 50;
    layer.costs->utilization = 0.5;
    layer.costs->energy_pj = 400;
    layer.costs->compute_energy_pj = 100;
    layer.costs->bound = "a sentence";
    layer.costs->bound_memory = bound_memory;
    layer.costs->memories = {{"DRAM", 0, 0, {{"A", 0, 1, 0, 0, 200, 0, 0}, {"B", 0, 1, 0, 0, 100, 0, 0}}}};
    layer.search.emplace().proven = proven;
    return layer;
}

Run sample() {
    views::Run run;
    run.units = 4;
    run.layers = {layer_of("first", "", true), layer_of("second", "DRAM", false)};
    run.layers[1].repeats = 3;
    return run;
}

TEST(Overview, SaysWhatBoundsTheMostCyclesFirst) {
    const Overview overview = overview_of(sample());
    ASSERT_THAT(overview.limits, SizeIs(2));
    EXPECT_EQ(overview.limits[0].what, "DRAM");
    EXPECT_NEAR(overview.limits[0].cycles_share, 0.75, 1e-12);
    EXPECT_EQ(overview.limits[1].what, "compute units");
    EXPECT_THAT(overview.findings,
                Contains(HasSubstr("DRAM bounds the latency of 1 of 2 shapes, with 75.0 % of the cycles")));
}

TEST(Overview, SaysWhereTimeAndEnergyGo) {
    const Overview overview = overview_of(sample());
    EXPECT_THAT(overview.findings, Contains(HasSubstr("50.0 % of the compute units' time is idle")));
    EXPECT_THAT(overview.findings, Contains(HasSubstr("idle, most of it in second")));
    EXPECT_THAT(overview.findings, Contains("DRAM takes 75.0 % of the energy, 66.7 % of it for A."));
    EXPECT_THAT(overview.findings, Contains("Compute units take 25.0 % of the energy."));
}

TEST(Overview, WhatIsNotProvenIsNotCalledSo) {
    views::Run run = sample();
    EXPECT_EQ(overview_of(run).proof, "1 of 2 shapes proven optimal");
    run.layers[1].search->proven = true;
    EXPECT_EQ(overview_of(run).proof, "2 of 2 shapes proven optimal");
    run.layers[1].search.reset();  // evaluated, not searched
    EXPECT_EQ(overview_of(run).proof, "1 of 2 shapes proven optimal");
    run.layers[0].search.reset();
    EXPECT_EQ(overview_of(run).proof, "");
    run.layers[0].costs.reset();  // no mapping: it counts nowhere
    EXPECT_EQ(overview_of(run).shapes, 1);
}

TEST(Overview, AVectorUnitIsNotTheComputeUnits) {
    views::Run run = sample();
    run.layers.push_back(layer_of("softmax", "", false));
    run.layers[2].costs->on_vector_unit = true;
    run.layers[2].search.reset();
    run.layers[1].search->proven = true;
    const Overview overview = overview_of(run);
    EXPECT_EQ(overview.proof, "2 of 2 shapes proven optimal");
    EXPECT_EQ(overview.limits[2].what, "vector unit");
    EXPECT_THAT(overview.findings, Contains(HasSubstr("The vector unit bounds the latency of 1 of 3 shapes")));
    EXPECT_THAT(overview.findings, Contains("The vector unit takes 5.0 % of the energy."));
}

TEST(Overview, NothingIsSaidOfNothing) {
    const Overview overview = overview_of({});
    EXPECT_THAT(overview.findings, IsEmpty());
    EXPECT_THAT(overview.limits, IsEmpty());
}

}  // namespace
}  // namespace tilewright::views::overview_test
