// One rule of latency throughout a report of times as built.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fixtures/report_sample.hpp"
#include "report/csv.hpp"
#include "report/documents/documents.hpp"
#include "report/json.hpp"
#include "report/summary.hpp"
#include "report/text.hpp"
#include "report/views/run.hpp"

namespace tilewright::report::as_built_test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

// The sample layer takes 40 cycles as built, 16 in the plain model; twice.
Report one_layer() {
    Report report = sample_report();
    LayerResult& layer = report.layers.front();
    layer.repeats = 2;
    layer.as_built = AsBuilt{39.7, 39.7e-9, "load", true, 16};
    layer.evaluation->cycles = 40;
    layer.evaluation->utilization = 0.2;
    layer.evaluation->bounding_memory = -1;
    return report;
}

Report mixed() {
    Report report = one_layer();
    report.network = "net";
    LayerResult other = sample_report().layers.front();
    other.names = {"dw"};
    other.not_as_built = "it has groups";
    report.layers.push_back(other);
    return report;
}

TEST(AsBuilt, TheFirstLineSaysWhoseLatencyItIs) {
    EXPECT_EQ(latency_rule(sample_report()), "");
    EXPECT_EQ(latency_rule(one_layer()), "time as built");
    EXPECT_EQ(latency_rule(mixed()), "time as built of 2 of 3 layers, of the others the plain model's");
    EXPECT_THAT(summary_text(one_layer()), StartsWith("Layer fc on tiny (2 times): time as built\n====="));
    EXPECT_THAT(summary_text(mixed()),
                StartsWith("net on tiny: time as built of 2 of 3 layers, of the others the plain model's\n====="));
    Report none = mixed();
    none.layers.erase(none.layers.begin());
    EXPECT_THAT(summary_text(none), StartsWith("Layer dw on tiny: latency of the plain model\n====="));
}

TEST(AsBuilt, AnInterruptedOrFailedLayerIsOfNoRule) {
    Report report = one_layer();
    report.layers.push_back(unmapped({"fc2", "Gemm", sample_einsum(), 1, {}}));
    EXPECT_EQ(latency_rule(report), "time as built");
}

TEST(AsBuilt, SumsAreOfItAndThePlainModelsStandBeside) {
    const Totals sum = totals(mixed());
    EXPECT_EQ(sum.cycles, 2 * 40 + 16);
    EXPECT_EQ(sum.plain_cycles, 3 * 16);
    EXPECT_EQ(sum.as_built, 2);
    EXPECT_DOUBLE_EQ(sum.edp_pj_cycles(), 3 * 13000.0 * 96);
    EXPECT_DOUBLE_EQ(sum.utilization, 3 * 32 / (4.0 * 96));
    const std::string text = summary_text(mixed());
    EXPECT_THAT(text, HasSubstr("and 96 cycles (96.00 ns), one layer after another\n"
                                "  the plain model says 48 cycles (48.00 ns)\n"));
    EXPECT_THAT(text, HasSubstr("20.0 %  load\n"));
    EXPECT_THAT(text, HasSubstr("50.0 %  Buffer read bandwidth (plain model)\n"));
    EXPECT_THAT(text, HasSubstr("bound by: load 83.3 % of the cycles, Buffer read bandwidth 16.7 %; 3 of 3 layers "
                                "(100.0 %) wait for memories\n"));
}

TEST(AsBuilt, OneLayerHasItsTimeItsProductAndItsBound) {
    const std::string text = summary_text(one_layer());
    EXPECT_THAT(text, HasSubstr("  latency      40 cycles  (40.00 ns)\n"
                                "  EDP          5.200e-07 J*cycles  (5.200e-16 J*s)\n"));
    EXPECT_THAT(text, HasSubstr("  utilization  20.0 %"));
    EXPECT_THAT(text,
                HasSubstr("\n  the time as built is bound by load\n  the plain model says 16 cycles (16.00 ns)\n"));
    EXPECT_THAT(text, Not(HasSubstr("latency is bound")));
}

TEST(AsBuilt, RowsOfASpreadsheetSayTheirRule) {
    const std::string csv = costs_csv(mixed());
    EXPECT_THAT(csv, HasSubstr("\nnet,tiny,exact as built,fc,2,load,,latency,,,,40\n"));
    EXPECT_THAT(csv, HasSubstr("\nnet,tiny,exact,dw,1,Buffer,,latency,,,,16\n"));
}

TEST(AsBuilt, SoDoesTheDocument) {
    const std::string json = report_json(mixed());
    EXPECT_THAT(json, HasSubstr(R"("accounting": "exact partly as built")"));
    EXPECT_THAT(json, HasSubstr(R"("layers_as_built": 2)"));
    EXPECT_THAT(json, HasSubstr(R"("plain_cycles": 48)"));
    EXPECT_THAT(json, HasSubstr(R"("not_as_built": "it has groups")"));
    EXPECT_THAT(report_json(one_layer()), HasSubstr(R"("accounting": "exact as built")"));
    const std::string plain = report_json(sample_report());
    EXPECT_THAT(plain, HasSubstr(R"("accounting": "exact")"));
    EXPECT_THAT(plain, Not(HasSubstr("as_built")));
    EXPECT_THAT(plain, Not(HasSubstr("plain_cycles")));
}

// Read back, as for pictures and pages.
TEST(AsBuilt, PagesSumItsCyclesByWhatTheyGoInto) {
    const views::Document read = documents::read_document(report_json(mixed()), "run.json");
    const views::Run& run = read.runs.front();
    EXPECT_EQ(run.accounting, "exact partly as built");
    EXPECT_EQ(views::totals(run).cycles, 96.0);
    const views::Costs& costs = run.layers.front().costs.value();
    EXPECT_EQ(costs.cycles, 40.0);
    EXPECT_EQ(costs.bound_memory, "load");
    EXPECT_EQ(costs.bound, "the time as built is bound by load");
    double sum = 0.0;
    for (const views::Amount& part : costs.cycle_parts) sum += part.value;
    EXPECT_DOUBLE_EQ(sum, 40.0);
    EXPECT_EQ(costs.cycle_parts[2].name, "as built: load");
    EXPECT_EQ(run.layers.back().costs->bound_memory, "Buffer");
}

// A mapping with idle units may run as a kernel without: the parts are still those of its time.
TEST(AsBuilt, LessThanThePlainModelsComputingIsAllComputing) {
    Report report = one_layer();
    report.layers.front().evaluation->compute_cycles = 100;
    const views::Document read = documents::document_of(report, "run.json");
    double sum = 0.0;
    for (const views::Amount& part : read.runs.front().layers.front().costs->cycle_parts) sum += part.value;
    EXPECT_DOUBLE_EQ(sum, 40.0);
}

}  // namespace
}  // namespace tilewright::report::as_built_test
