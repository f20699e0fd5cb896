#include "report/report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "base/numbers/checked.hpp"
#include "fixtures/report_sample.hpp"
#include "report/evaluation_text.hpp"
#include "report/json.hpp"
#include "report/parts/table.hpp"
#include "report/show_text.hpp"
#include "report/text.hpp"

namespace tilewright::report::report_test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// The sample layer three times under two names, and one layer without a mapping.
Report sample_network() {
    Report report = sample_report();
    report.network = "net";
    report.layers[0].names = {"fc1", "fc2"};
    report.layers[0].repeats = 3;
    LayerResult failed = report.layers[0];
    failed.names = {"huge"};
    failed.repeats = 1;
    failed.mapping.reset();
    failed.evaluation.reset();
    failed.failures = {"no mapping fits"};
    report.layers.push_back(failed);
    report.unmapped = {{"relu1", "Relu", "element-wise"}, {"relu2", "Relu", "element-wise"}, {"r", "Reshape", "moves"}};
    return report;
}

TEST(Report, TotalsCountEveryRepeat) {
    const Totals sum = totals(sample_network());
    EXPECT_EQ(sum.computes, 96);
    EXPECT_EQ(sum.cycles, 48);
    EXPECT_DOUBLE_EQ(sum.energy_pj, 39000.0);
    EXPECT_DOUBLE_EQ(sum.utilization, 0.5);
    EXPECT_EQ(sum.layers, 4);
    EXPECT_EQ(sum.missing, 1);
}

TEST(Report, TotalsThatLeave64BitsAreRefused) {
    Report report = sample_report();
    report.layers[0].repeats = std::numeric_limits<std::int64_t>::max() / 4;
    EXPECT_THROW(totals(report), OverflowError);
}

TEST(Report, SaysWhatBoundsTheLatency) {
    Evaluation evaluation = sample_evaluation();
    EXPECT_EQ(bound_sentence(evaluation), "latency is bound by read bandwidth of Buffer: 2x the compute cycles");
    evaluation.bounding_memory = -1;
    EXPECT_EQ(bound_sentence(evaluation),
              "latency is bound by the compute units: 50.0 % of their cycles do useful work");
}

TEST(ReportText, SummaryOfAnEvaluation) {
    EXPECT_EQ(summary_text(sample_architecture(), sample_evaluation(), bound_sentence(sample_evaluation())),
              "  energy       13.00 nJ  (406.2 pJ per multiply-accumulate)\n"
              "  latency      16 cycles  (16.00 ns)\n"
              "  EDP          2.080e-07 J*cycles  (2.080e-16 J*s)\n"
              "  power        812.5 mW  (0.004923 TOPS/W at two operations a multiply-accumulate)\n"
              "  utilization  50.0 %  (4 of 4 compute units in use)\n"
              "  work         32 multiply-accumulates\n"
              "  area         1500 um2\n"
              "\n"
              "  latency is bound by read bandwidth of Buffer: 2x the compute cycles\n");
}

TEST(ReportText, TrafficHasARowPerKeptTensor) {
    EXPECT_EQ(traffic_text(sample_einsum(), sample_evaluation()),
              "  memory  tensor  tile words  instances  reads  fills  updates  sharing    energy   share\n"
              "  ---------------------------------------------------------------------------------------\n"
              "  DRAM    A               32          1     32      0        0        1  4.096 nJ  31.5 %\n"
              "          B                8          1      8      0        0        1  1.024 nJ   7.9 %\n"
              "          O                4          1     28      0       32        1  7.680 nJ  59.1 %\n"
              "  Buffer  A                4          1     32     32        0        1  64.00 pJ   0.5 %\n"
              "          B                1          1      8      8        0        4  16.00 pJ   0.1 %\n"
              "  sharing: operands that one read serves; contributions to a result that one update sums\n");
}

TEST(ReportText, SharingSeesThroughMemoriesThatDoNotKeepTheTensor) {
    Evaluation evaluation = sample_evaluation();
    evaluation.memories[0].tensors[0].reads = 8;  // four copies of A arrive in Buffer for each word read
    evaluation.memories[1].tensors[1].kept = false;
    const std::string text = traffic_text(sample_einsum(), evaluation);
    EXPECT_THAT(text, HasSubstr("DRAM    A               32          1      8      0        0        4"));
    EXPECT_THAT(text, HasSubstr("        B                8          1      8      0        0        4"));  // units
}

TEST(ReportText, EnergyBreakdownAddsUp) {
    EXPECT_EQ(energy_breakdown_text(sample_einsum(), sample_architecture(), sample_evaluation()),
              "  part      energy   share\n"
              "  -----------------------------------------------------------------\n"
              "  DRAM    12.80 nJ  98.5 %  #######################################\n"
              "  Buffer  80.00 pJ   0.6 %  #\n"
              "  mac     120.0 pJ   0.9 %  #\n");
}

TEST(ReportText, NetworkTableHasTotalsAndWhatWasNotMapped) {
    const std::string text = summary_text(sample_network());
    EXPECT_THAT(text, HasSubstr("fc1                         3    32      16  13.00 nJ       2.080e-07       50.0 %  "
                                "Buffer read bandwidth"));
    EXPECT_THAT(text, HasSubstr("total (with repeats)        4    96      48  39.00 nJ       1.872e-06       50.0 %"));
    EXPECT_THAT(text, HasSubstr("no mapping fits"));
    EXPECT_THAT(text, HasSubstr("Not mapped (3 operators)"));
    EXPECT_THAT(text, HasSubstr("Relu          2  element-wise"));
    EXPECT_THAT(text, Not(HasSubstr("Traffic")));
    EXPECT_THAT(report_text(sample_network()), HasSubstr("Traffic"));
}

TEST(ReportText, ShapesBeforeWhichAStopCameWereNotSearched) {
    Report report;
    LayerResult& layer = report.layers.emplace_back();
    layer.names = {"fc"};
    layer.failures = {kNotSearched};
    EXPECT_EQ(missing_text(report), "1 of 1 layers was not searched and is not in the totals: fc");
    layer.failures.emplace_back("no tile fits");
    EXPECT_EQ(missing_text(report), "1 of 1 layers is without a legal mapping and not in the totals: fc");
}

TEST(ReportText, AnInterruptedSearchSaysSo) {
    Report report = sample_report();
    EXPECT_THAT(report_text(report), Not(HasSubstr("interrupted")));
    report.interrupted = true;
    EXPECT_THAT(report_text(report), HasSubstr("interrupted; these are the best mappings found until then"));
}

TEST(ReportText, EnergiesNameTheirSource) {
    Architecture architecture = sample_architecture();
    EXPECT_THAT(energies_text(architecture), HasSubstr("DRAM       read       128  pJ/word   given in arch.yaml:5"));
    architecture.memories[0].link.wire_energy_pj_per_bit_mm = 0.125;
    architecture.memories[0].link.passages = {{"drive", "Inputs", {1.5, "a table"}, 2.0}};
    const std::string text = energies_text(architecture);
    EXPECT_THAT(text, HasSubstr("wires below DRAM  wire     0.125  pJ/bit/mm  given"));
    EXPECT_THAT(text, HasSubstr("drive             pass         3  pJ/word    a table"));
    EXPECT_THAT(text, HasSubstr("not given: free"));
}

TEST(ReportJson, RoundTripsEveryNumber) {
    Report report = sample_report();
    report.layers[0].evaluation->energy_pj = 0.1 + 0.2;
    const nlohmann::json json = nlohmann::json::parse(report_json(report));
    EXPECT_EQ(json["schema"], "tilewright-report/2");
    EXPECT_EQ(json["layers"][0]["evaluation"]["energy_pj"].get<double>(), 0.1 + 0.2);
    EXPECT_EQ(json["layers"][0]["evaluation"]["bound"]["memory"], "Buffer");
    EXPECT_EQ(json["layers"][0]["mapping"][1]["loop"], "k");
    EXPECT_EQ(json["layers"][0]["evaluation"]["memories"][1]["tensors"].size(), 2U);  // O bypasses Buffer
    EXPECT_EQ(json["provenance"]["seed"], nullptr);
}

TEST(ReportJson, NamesThatAreNotUtf8DoNotBreakTheDocument) {
    Report report = sample_report();
    report.layers[0].names = {"bad\xff"};
    EXPECT_TRUE(nlohmann::json::accept(report_json(report)));
}

TEST(ReportJson, EqualValuesGiveEqualBytes) { EXPECT_EQ(report_json(sample_network()), report_json(sample_network())); }

TEST(Comparison, ShowsTotalsAndOnlyTheCountsThatDiffer) {
    Evaluation other = sample_evaluation();
    other.energy_pj = 14300.0;
    other.memories[0].tensors[1].reads = 16;
    const std::string text = comparison_text(sample_einsum(), {{"exact", sample_evaluation()}, {"timeloop", other}});
    EXPECT_EQ(text,
              "                         exact  timeloop  difference\n"
              "  --------------------------------------------------\n"
              "  energy (pJ)           13,000    14,300       +10 %\n"
              "  cycles                    16        16        same\n"
              "  compute cycles             8         8        same\n"
              "  multiply-accumulates      32        32        same\n"
              "  utilization (%)           50        50        same\n"
              "  --------------------------------------------------\n"
              "  DRAM B reads               8        16      +100 %\n");
}

}  // namespace
}  // namespace tilewright::report::report_test
