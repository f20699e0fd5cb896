#include "report/documents/documents.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fixtures/report_sample.hpp"
#include "report/documents/parts.hpp"
#include "yaml/writer.hpp"

namespace tilewright::documents::documents_test {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr const char* kStart = R"("tool": {"name": "tilewright", "version": "0.1.0"},
 "provenance": {"command": "map", "accounting": "exact", "inputs": [], "seed": 1, "options": {"objective": "edp"}},
 "interrupted": false, "notes": ["a note"],)";
constexpr const char* kMachine = R"("architecture": {"name": "tiny", "technology": "45nm", "cycle_seconds": 1e-9,
  "area_um2": 10, "memories": [{"name": "DRAM", "instances": 1, "read_words_per_cycle": 2,
  "write_words_per_cycle": null, "shared_words_per_cycle": null, "capacity_words": null}],
  "compute": {"instances": 4}},)";
constexpr const char* kEinsum = R"("einsum": {"text": "O[m] += A[m]", "dimensions": [{"name": "m", "extent": 64}],
  "tensors": [{"name": "A", "words": 64, "written": false}, {"name": "O", "words": 64, "written": true}]},)";
constexpr const char* kMapping = R"("mapping": [{"store": "DRAM", "tensors": ["A", "O"]},
  {"loop": "m", "extent": 64, "remainder": 60, "kind": "spatial_x"}])";
constexpr const char* kEvaluation = R"({"computes": 64, "compute_cycles": 20, "cycles": 50, "utilization": 0.32,
  "energy_pj": 164, "compute_energy_pj": 60, "compute_leakage_pj": 4, "link_latency_cycles": 6,
  "bound": {"memory": "DRAM", "by": "read_bandwidth", "text": "bound by DRAM"},
  "memories": [{"name": "DRAM", "used_words": 3, "leakage_pj": 1, "bound": "read_bandwidth",
    "tensors": [{"tensor": "A", "tile_words": 64, "read_words": 64, "fill_words": 0, "update_words": 0,
                 "energy_pj": 90, "address_energy_pj": 5}],
    "link": [{"tensor": "A", "words": 64, "energy_pj": 3}, {"tensor": "O", "words": 8, "energy_pj": 1}]}]})";

std::string report() {
    return std::string(R"({"schema": "tilewright-report/2",)") + kStart + kMachine +
           R"("network": {"name": "net", "unmapped_operators": [{"name": "r", "operator": "Relu", "reason": "why"}]},
 "layers": [{"name": "fc", "same_shape": ["fc", "fc2"], "operator": "Gemm", "repeats": 2,)" +
           kEinsum + R"("status": "evaluated",)" + kMapping + R"(, "evaluation": )" + kEvaluation +
           R"(, "search": {"evaluations": 9, "valid": 8, "stopped_by": "proof", "proven": true, "claim": "optimal"}}]})";
}

views::Document read(const std::string& text) { return read_document(text, "run.json"); }

std::string replaced(std::string text, const std::string& old, const std::string& fresh) {
    return text.replace(text.find(old), old.size(), fresh);
}

std::string error_of(const std::string& text) {
    try {
        read(text);
    } catch (const InputError& error) {
        return error.what();
    }
    return "";
}

// The layer runs twice.
TEST(Documents, SayWhatZerosSaveByMemoryAndLayer) {
    const std::string savings = R"(, "sparse": {"algorithmic_computes": 100,
      "computes": {"actual": 64, "gated": 0, "skipped": 36}, "memories": [],
      "densities": [{"tensor": "A", "model": "2:4", "density": 0.5, "from": "list.csv:2"},
                    {"tensor": "O", "model": "fixed_structured", "density": 1, "from": ""}],
      "savings": {"dense_energy_pj": 300, "dense_cycles": 100, "components": {
        "DRAM": {"dense_pj": 200, "left_out_pj": 90, "gating_pj": 10, "skipping_pj": 20, "metadata_pj": 8},
        "units": {"dense_pj": 98, "left_out_pj": 0, "gating_pj": 0, "skipping_pj": 22, "metadata_pj": 0}},
        "elsewhere_pj": 2}}}]})";
    const views::Document document = read(replaced(report(), R"("optimal"}}]})", R"("optimal"})" + savings));
    ASSERT_THAT(document.headlines, SizeIs(1));
    const views::Headline& headline = document.headlines[0];
    EXPECT_EQ(headline.title, "Saved by the treatment of zeros: net on tiny");
    EXPECT_EQ(headline.cards[0].value, "45.3 %");
    EXPECT_EQ(headline.cards[0].about, "328.0 pJ in place of 600.0 pJ");
    EXPECT_EQ(headline.cards[1].about, "100 in place of 200");
    using Row = std::vector<std::string>;
    ASSERT_THAT(headline.tables, SizeIs(3));
    const auto rows = [&](std::size_t table) { return headline.tables[table].table.rows(); };
    EXPECT_THAT(rows(0), ::testing::ElementsAre(Row{"DRAM", "400", "180", "20", "40", "16", "176", "56.0"},
                                                Row{"units", "196", "0", "0", "44", "0", "152", "22.4"}));
    EXPECT_THAT(rows(1), ::testing::ElementsAre(
                             Row{"fc", "A 0.5 (2:4)", "600", "180", "20", "84", "16", "4", "328", "45.3", "50.0"}));
    EXPECT_THAT(rows(2), SizeIs(2));
    ASSERT_THAT(document.figures, SizeIs(2));
    const auto& bars = std::get<plot::StackedBars>(document.figures[0].chart);
    double sum = 0.0;
    for (const plot::Part& part : bars.parts) sum += part.values[0];
    EXPECT_DOUBLE_EQ(sum, 416e-12);  // the dense energy, and metadata
    EXPECT_TRUE(read(report()).headlines.empty());
    EXPECT_TRUE(read(report()).figures.empty());
    // Metadata may lengthen a layer and add leakage.
    const views::Document longer =
        read(replaced(report(), R"("optimal"}}]})",
                      R"("optimal"})" + replaced(savings, R"("elsewhere_pj": 2)", R"("elsewhere_pj": -2)")));
    EXPECT_EQ(longer.headlines.at(0).tables[1].table.rows()[0][7], "-4");
}

TEST(Documents, AReportIsARun) {
    const views::Document document = read(report());
    ASSERT_THAT(document.runs, SizeIs(1));
    const views::Run& run = document.runs[0];
    EXPECT_EQ(run.title, "net on tiny");
    EXPECT_EQ(run.units, 4);
    EXPECT_EQ(run.memories[0].read_words_per_cycle, 2.0);
    EXPECT_EQ(run.memories[0].write_words_per_cycle, std::nullopt);
    EXPECT_EQ(run.options.back(), (std::pair<std::string, std::string>{"seed", "1"}));
    EXPECT_EQ(run.unmapped[0].reason, "why");
    const views::Layer& layer = run.layers[0];
    EXPECT_EQ(layer.repeats, 2);
    EXPECT_EQ(std::get<document::LoopLine>(layer.nest[1]).kind, LoopKind::spatial_x);
    EXPECT_EQ(std::get<document::LoopLine>(layer.nest[1]).remainder, 60);
    EXPECT_EQ(layer.search->proven, true);
    EXPECT_EQ(layer.costs->memories[0].tensors[1].link_words, 8);
}

TEST(Documents, TheWidthsOfWordsStandBesideTheEinsum) {
    EXPECT_EQ(read(report()).runs[0].layers[0].einsum, "O[m] += A[m]");
    std::string narrow = replaced(report(), R"("written": false})", R"("written": false, "bits": 4})");
    narrow = replaced(narrow, R"("address_energy_pj": 5})", R"("address_energy_pj": 5, "bandwidth_share": 0.25})");
    const views::Layer layer = read(narrow).runs[0].layers[0];
    EXPECT_EQ(layer.einsum, "O[m] += A[m], A of 4 bits");
    EXPECT_EQ(layer.costs->memories[0].tensors[0].bandwidth_share, 0.25);
}

// Layers one by one, with the rest, or as YAML.
TEST(Documents, AReportIsTheSameHoweverItIsRead) {
    const std::string machine_first = report();
    std::string layers_first = machine_first;
    layers_first.insert(layers_first.size() - 1, std::string(",") + kMachine);
    layers_first.erase(layers_first.find(kMachine), std::string(kMachine).size());
    layers_first.erase(layers_first.rfind(','), 1);
    const std::string yaml = "# no JSON\n" + machine_first;
    const views::Run run = read(machine_first).runs[0];
    for (const std::string& text : {layers_first, yaml}) {
        const views::Run other = read(text).runs[0];
        ASSERT_THAT(other.layers, SizeIs(run.layers.size()));
        EXPECT_EQ(other.layers[0].same_shape, run.layers[0].same_shape);
        EXPECT_EQ(other.layers[0].costs->cycle_parts.size(), run.layers[0].costs->cycle_parts.size());
        EXPECT_EQ(other.units, run.units);
    }
}

// One list of fields writes and reads.
TEST(Documents, WhatIsReadBackIsWrittenAlike) {
    report::Report full = report::sample_report();
    report::LayerResult& layer = full.layers.front();
    layer.front = {{*layer.mapping, 5.0, 6, {}}};
    layer.search.emplace().claim = "optimal";
    layer.search->lower_bound = 4.5;
    layer.refinement =
        report::Refinement{{{*layer.mapping, 1.0, 2, 3, ""}, {*layer.mapping, 4.0, 5, {}, "why"}}, 0, 0.5};
    report::LayerResult failed = report::unmapped({"huge", "Conv", report::sample_einsum(), 3, {}});
    failed.failures = {"does not fit"};
    full.layers.push_back(failed);
    full.unmapped = {{"relu", "Relu", "works element by element"}};
    full.provenance.seed = 18446744073709551615U;
    const yaml::Json written = yaml::Writer::write(document::document_of(full));
    const yaml::Node root = yaml::parse_text(written.dump());
    EXPECT_EQ(yaml::Writer::write(read_as<document::Report>(root)), written);
    EXPECT_THAT(written.dump(), HasSubstr(R"("status":"no_mapping","failures":["does not fit"])"));
}

// A run is shown as its document would be, and refused if that would be.
TEST(Documents, ARunIsShownWithoutItsText) {
    report::Report full = report::sample_report();
    const views::Run shown = document_of(full, "report.json").runs.front();
    const views::Run read = read_document(report::report_json(full), "report.json").runs.front();
    EXPECT_EQ(shown.title, read.title);
    EXPECT_EQ(shown.options, read.options);
    ASSERT_THAT(shown.layers, SizeIs(1));
    EXPECT_EQ(shown.layers[0].einsum, read.layers[0].einsum);
    EXPECT_EQ(shown.layers[0].costs->energy_pj, read.layers[0].costs->energy_pj);
    EXPECT_EQ(shown.layers[0].costs->cycle_parts[2].name, read.layers[0].costs->cycle_parts[2].name);
    full.layers[0].evaluation->energy_pj = 1e61;
    EXPECT_THROW(document_of(full, "report.json"), InputError);
}

// Parts of energy and of cycles make up the whole.
TEST(Documents, NothingIsLost) {
    const views::Costs costs = *read(report()).runs[0].layers[0].costs;
    double energy = costs.compute_energy_pj;
    for (const views::MemoryCosts& memory : costs.memories) energy += memory.energy_pj();
    EXPECT_DOUBLE_EQ(energy, costs.energy_pj);
    double cycles = 0.0;
    for (const views::Amount& part : costs.cycle_parts) cycles += part.value;
    EXPECT_DOUBLE_EQ(cycles, costs.cycles);
    EXPECT_EQ(costs.cycle_parts[2].name, "waiting for DRAM (read bandwidth)");
    EXPECT_EQ(costs.cycle_parts[2].value, 24);
}

TEST(Documents, AComparisonIsARunForEachAccounting) {
    const views::Document document =
        read(std::string(R"({"schema": "tilewright-comparison/1",)") + kStart + kMachine + kEinsum + kMapping +
             R"(, "evaluations": {"exact": )" + kEvaluation + R"(, "timeloop": )" + kEvaluation + "}}");
    ASSERT_THAT(document.runs, SizeIs(2));
    EXPECT_EQ(document.runs[1].accounting, "timeloop");
}

TEST(Documents, MappersAreCurves) {
    const views::Document document = read(std::string(R"({"schema": "tilewright-mappers/1",)") + kStart +
                                          R"("architecture": "a", "network": "n", "objective": "edp", "layers": [],
        "contestants": [{"mapper": "random", "factors": "perfect"}, {"mapper": "hybrid", "factors": "ruby-s"}],
        "by_evaluations": [{"spent": 1, "relative": [2, null]}, {"spent": 10, "relative": [1.5, 1]}], "by_seconds": []})");
    ASSERT_THAT(document.figures, SizeIs(2));
    const auto& chart = std::get<plot::Plane>(document.figures[0].chart);
    EXPECT_EQ(chart.series[1].name, "hybrid/ruby-s");
    EXPECT_THAT(chart.series[0].marks, SizeIs(2));
    EXPECT_THAT(chart.series[1].marks, SizeIs(1));
}

TEST(Documents, FiguresAreWhatTheySay) {
    const std::string text = R"({"schema": "tilewright-figures/1", "figures": [
        {"title": "Speed-up", "bars": {"bars": ["a", "b"], "axis": {"label": "speed-up"},
            "parts": [{"name": "found", "values": [1.1, 1]}, {"name": "possible", "values": [0.1, 0.4]}]}},
        {"title": "Both", "about": "what there is to see", "plane": {"x": {"label": "cycles", "logarithmic": true},
            "y": {"label": "traffic", "unit": "B"}, "series": [{"name": "s", "line": true, "marks": [[1, 2], [3, 4, "c"]]}]}}]})";
    const views::Document document = read(text);
    ASSERT_THAT(document.figures, SizeIs(2));
    EXPECT_EQ(std::get<plot::StackedBars>(document.figures[0].chart).parts[1].values[1], 0.4);
    const auto& plane = std::get<plot::Plane>(document.figures[1].chart);
    EXPECT_TRUE(plane.x.logarithmic && plane.series[0].line);
    EXPECT_EQ(plane.series[0].marks[1], (plot::Mark{3, 4, "c"}));
    EXPECT_THAT(error_of(replaced(text, "[1.1, 1]", "[1.1]")), HasSubstr("expected a value for each of the 2 bars"));
    EXPECT_THAT(error_of(replaced(text, "[1, 2]", "[1]")), HasSubstr("expected [x, y] or [x, y, label]"));
    EXPECT_THAT(error_of(replaced(text, "\"plane\"", "\"plain\"")), HasSubstr("unknown key 'plain'"));
    EXPECT_THAT(error_of(replaced(text, "0.4", "-1")), HasSubstr("a number from 0 to 1e60"));
}

std::string proof(const std::string& schema, const std::string& rest) {
    return R"({"schema": "tilewright-)" + schema + R"(/1",)" + kStart + R"("title": "net on tiny", "machines": 8,
 "machines_with_unproven_mappings": 0, "boxes_left": 0, "cuts_along": {"depth": 2},
 "counts": {"boxes": 5, "beyond_limits": 0, "ruled_out_by_quick_floors": 1, "ruled_out_by_floors": 1, "floors": 3,
  "machines_mapped": 2, "machines_not_valid": 0, "machines_ruled_out": 6, "machines_ruled_out_by_quick_floors": 4,
  "machines_beyond_limits": 0},)" +
           rest + "}";
}

TEST(Documents, ABestMachineIsAHeadlineWithItsProof) {
    const std::string text = proof("codesign", R"("metric": "edp_pj_cycles", "proven": true, "value": 20, "bound": 20,
      "best": {"point": 3, "knobs": {"depth": 64, "dram": "HBM2"}, "metrics": {"edp_pj_cycles": 20}},
      "improvements": [], "course": [{"boxes": 1, "value": null, "bound": 10}, {"boxes": 5, "value": 20, "bound": 20}],
      "worth": [{"knob": "depth", "value": "32", "machines": 4, "least": 25, "found": 25, "point": 1, "proven": true,
                 "of_best": false}])");
    const views::Document document = read(text);
    ASSERT_THAT(document.headlines, SizeIs(1));
    EXPECT_EQ(document.headlines[0].title, "net on tiny");
    EXPECT_EQ(document.headlines[0].cards[0].value, "2.000e-11 J*cycles");
    using Row = std::vector<std::string>;
    EXPECT_THAT(document.headlines[0].tables[0].table.rows(),
                ::testing::ElementsAre(Row{"depth", "64"}, Row{"dram", "HBM2"}));
    ASSERT_THAT(document.figures, SizeIs(4));
    EXPECT_EQ(document.figures[0].kind, "worth");
    EXPECT_DOUBLE_EQ(std::get<plot::StackedBars>(document.figures[0].chart).parts[0].values[0], 25.0);  // per cent
    EXPECT_THAT(error_of(replaced(text, R"("machines_not_valid": 0)", R"("machines_not_valid": 3)")),
                HasSubstr("expected no more than were mapped"));
    EXPECT_THAT(error_of(replaced(text, R"(quick_floors": 4)", R"(quick_floors": 7)")),
                HasSubstr("expected no more than all floors ruled out"));
    EXPECT_THAT(error_of(replaced(text, R"("value": 20,)", R"("value": null,)")),
                HasSubstr("expected nothing: there is no best machine"));
    EXPECT_THAT(error_of(replaced(text, R"({"objective": "edp"})", R"({"metrics": "edp_pj_cycles,latency_cycles"})")),
                HasSubstr("expected a value of 'latency_cycles', which the options name"));
}

TEST(Documents, AFrontOfMachinesIsDrawnBesideItsEnvelope) {
    const std::string text = proof("codesign-front", R"("metrics": ["energy_pj", "area_mm2"], "proven": false,
      "gap": 0.1, "course": [], "front": [{"point": 3, "knobs": {"depth": 64}, "values": {"energy_pj": 5, "area_mm2": 2},
        "mapped": [{"metric": "energy_pj", "metrics": {"energy_pj": 5}}]}],
      "envelope": [{"floors": {"energy_pj": 4.5, "area_mm2": 1}, "knobs": {"depth": "16 to 32"}, "machines": 2}])");
    const views::Document document = read(text);
    ASSERT_THAT(document.headlines, SizeIs(1));
    ASSERT_THAT(document.figures, SizeIs(3));
    EXPECT_EQ(document.figures[0].kind, "machines");
    EXPECT_THAT(std::get<plot::Plane>(document.figures[0].chart).series, SizeIs(4));
    EXPECT_THAT(error_of(replaced(text, R"(["energy_pj", "area_mm2"])", R"(["energy_pj"])")),
                HasSubstr("expected two or three metrics"));
    EXPECT_THAT(error_of(replaced(text, R"({"energy_pj": 5, "area_mm2": 2})", R"({"energy_pj": 5})")),
                HasSubstr("expected a value of each metric of the front"));
    EXPECT_THAT(
        error_of(replaced(text, R"({"energy_pj": 4.5, "area_mm2": 1})", R"({"area_mm2": 1, "energy_pj": 4.5})")),
        HasSubstr("expected a value of each metric of the front"));
}

TEST(Documents, MistakesHaveAPlace) {
    EXPECT_THAT(error_of("{}"), HasSubstr("run.json:1:1: error: "));
    EXPECT_THAT(error_of("[1]"), HasSubstr("expected a document of Tilewright"));
    EXPECT_THAT(error_of(R"({"schema": "tilewright-reprt/2"})"), HasSubstr("did you mean 'tilewright-report'?"));
    EXPECT_THAT(error_of(replaced(report(), "\"cycles\": 50", "\"cycles\": -1")), HasSubstr("a number from 0 to 1e60"));
    EXPECT_THAT(error_of(replaced(report(), "\"energy_pj\": 164", "\"energy_pj\": 1e61")),
                HasSubstr("a number from 0 to 1e60"));
    EXPECT_THAT(error_of(replaced(report(), "\"cycles\": 50", "\"cycles\": 1e61")), HasSubstr("run.json:"));
    EXPECT_THAT(error_of(replaced(report(), "\"cycles\": 50, ", "")), HasSubstr("[missing-key]"));
    EXPECT_THAT(error_of(replaced(report(), "spatial_x", "sideways")), HasSubstr("found 'sideways'"));
    EXPECT_THAT(error_of(replaced(report(), "\"proven\": true", "\"proven\": 3")), HasSubstr("run.json:"));
    EXPECT_THAT(error_of(replaced(report(), "tilewright-report/2", "tilewright-report/3")),
                HasSubstr("expected 'tilewright-report/2', found 'tilewright-report/3'"));
    const std::string copies = R"("words": 8, "delivered_words": 9223372036854775808, "multicast": 1.0,)";
    EXPECT_THAT(error_of(replaced(report(), "\"words\": 8,", copies)),
                HasSubstr("expected 1.152921504606847e+18, which follows from the values before it"));
}

}  // namespace
}  // namespace tilewright::documents::documents_test
