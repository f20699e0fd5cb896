#include "report/peers/dataflow_report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tilewright::report::dataflow_totals_test {
namespace {

using testing::HasSubstr;

DataflowLayer layer(const std::string& name, std::int64_t repeats, std::int64_t operations, std::int64_t cycles,
                    std::int64_t l1_bytes) {
    DataflowLayer layer;
    layer.name = name;
    layer.repeats = repeats;
    dataflow::Counts& counts = layer.cost.counts.emplace();
    counts.levels.emplace_back();
    counts.operations = operations;
    counts.runtime_cycles = cycles;
    layer.cost.l1_bytes = l1_bytes;
    layer.cost.energy_operations = 3.0 * static_cast<double>(operations);
    layer.energy = {1.0, 2.0, 4.0, 8.0};
    return layer;
}

DataflowReport report() {
    DataflowReport report{"net", "machine", {}, {layer("a", 3, 100, 20, 6), layer("b", 1, 50, 40, 9)}, 2, {}};
    report.hardware.units = 5;
    report.layers.push_back({"c", 4, {}, {}, {}});  // without an answer
    return report;
}

TEST(DataflowTotals, CountEveryRunOfALayer) {
    const DataflowTotals totals = totals_of(report());
    EXPECT_EQ(totals.layers, 4);
    EXPECT_EQ(totals.missing, 2 + 4);
    EXPECT_EQ(totals.operations, 350);
    EXPECT_EQ(totals.runtime_cycles, 100);
    EXPECT_EQ(totals.utilization, 350.0 / (100.0 * 5.0));
    EXPECT_EQ(totals.energy_operations, 3.0 * 350.0);
    EXPECT_EQ(totals.energy.total_pj(), 4.0 * 15.0);
    EXPECT_EQ(totals.energy.dram_pj, 4.0 * 8.0);
    EXPECT_EQ(totals.l1_bytes, 9) << "the same buffers serve all layers";
}

TEST(DataflowTotals, StandInTextAndCsv) {
    EXPECT_THAT(dataflow_text(report()), HasSubstr("the total is of 4 of 10 layers"));
    const std::string csv = dataflow_csv(report());
    EXPECT_THAT(csv, HasSubstr("\nnet,machine,layer,a,3,100,20,"));
    EXPECT_THAT(csv, HasSubstr("\nnet,machine,no_answer,c,4,,,,"));
    EXPECT_THAT(csv, HasSubstr("\nnet,machine,total,,4,350,100,0.7,,,,9,0,,1050,60,4,8,16,32\n"));
    std::size_t commas = 0;
    for (const char letter : csv) commas += letter == ',' ? 1 : 0;
    EXPECT_EQ(commas, 5 * 19) << "as many cells in every row";
}

}  // namespace
}  // namespace tilewright::report::dataflow_totals_test
