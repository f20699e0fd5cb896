#include "report/csv.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fixtures/report_sample.hpp"
#include "report/parts/table.hpp"

namespace tilewright::report::csv_test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

TEST(Csv, CellsAreQuotedWhereTheyWouldBeMisread) {
    EXPECT_EQ(csv_cell("conv1"), "conv1");
    EXPECT_EQ(csv_cell("a,b"), "\"a,b\"");
    EXPECT_EQ(csv_cell("say \"hi\"\n"), "\"say \"\"hi\"\"\n\"");
}

TEST(Csv, NoNameIsAFormula) {
    EXPECT_EQ(csv_cell("=1+1"), "\"'=1+1\"");
    for (const char* name : {"=cmd|' /C calc'!A0", "+1", "-1", "@SUM(A1)", "\t=1"})
        EXPECT_THAT(csv_cell(name), StartsWith("\"'")) << name;
    EXPECT_EQ(csv_cell("layer-1"), "layer-1");
    EXPECT_EQ(csv_number(-0.5), "-0.5");
}

TEST(Csv, OneRowPerMemoryTensorAndAction) {
    const std::string csv = costs_csv(sample_report());
    EXPECT_THAT(csv, StartsWith("network,architecture,accounting,layer,repeats,memory,tensor,action,words,operations,"
                                "energy_pj,cycles\n"));
    EXPECT_THAT(csv, HasSubstr("\n,tiny,exact,fc,1,DRAM,A,read,32,,4096,\n"));
    EXPECT_THAT(csv, HasSubstr("\n,tiny,exact,fc,1,Buffer,A,fill,32,,0,\n"));
    EXPECT_THAT(csv, HasSubstr(",compute,,32,120,\n"));
    EXPECT_THAT(csv, HasSubstr("\n,tiny,exact,fc,1,Buffer,,latency,,,,16\n"));
    EXPECT_THAT(csv, Not(HasSubstr("Buffer,O,")));  // not kept there
}

TEST(Csv, WorkOnAVectorUnitIsNotTheArrays) {
    Report report = sample_report();
    report.layers[0].evaluation->bounding_memory = -1;
    EXPECT_THAT(costs_csv(report), HasSubstr(",1," + report.architecture.compute.name + ",,latency,,,,16\n"));
    report.layers[0].on_vector_unit = true;
    const std::string csv = costs_csv(report);
    EXPECT_THAT(csv, HasSubstr(",1,vector unit,,compute,,32,120,\n"));
    EXPECT_THAT(csv, HasSubstr(",1,vector unit,,latency,,,,16\n"));
}

// A tensor's energy is divided by words times energy per access.
TEST(Csv, EnergiesOfActionsMakeUpTheTensors) {
    Report report = sample_report();
    report.architecture.memories[0].energy.read_pj.value = 128.0;
    report.architecture.memories[0].energy.update_pj.value = 128.0;
    report.layers[0].evaluation->memories[0].tensors[2].energy_pj = 7680.0;  // 28 reads and 32 updates
    const std::string csv = costs_csv(report);
    EXPECT_THAT(csv, HasSubstr(",DRAM,O,read,28,,3584,\n"));
    EXPECT_THAT(csv, HasSubstr(",DRAM,O,update,32,,4096,\n"));
}

TEST(Csv, ALayerWithoutMappingHasARowThatSaysSo) {
    Report report = sample_report();
    report.layers[0].evaluation.reset();
    EXPECT_THAT(costs_csv(report), HasSubstr("\n,tiny,exact,fc,1,,,no_mapping,,,,\n"));
}

TEST(Csv, AccountingsFollowEachOther) {
    const Report report = sample_report();
    const std::string csv = costs_csv(report, {{"exact", sample_evaluation()}, {"timeloop", sample_evaluation()}});
    EXPECT_THAT(csv, HasSubstr(",timeloop,fc,1,Buffer,,latency,,,,16\n"));
}

}  // namespace
}  // namespace tilewright::report::csv_test
