#include "report/documents/documents.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "fixtures/report_sample.hpp"
#include "report/csv.hpp"
#include "report/json.hpp"
#include "report/text.hpp"

namespace tilewright::documents::read_report_test {
namespace {

using testing::HasSubstr;

void expect_same(const report::Report& report) {
    const std::string json = report::report_json(report);
    const report::Report read = read_report(json, "report.json");
    EXPECT_EQ(report::report_json(read), json);
    EXPECT_EQ(report::costs_csv(read), report::costs_csv(report));
    EXPECT_EQ(report::report_text(read), report::report_text(report));
    ASSERT_EQ(read.layers.size(), report.layers.size());
    for (std::size_t i = 0; i < read.layers.size(); ++i) EXPECT_EQ(read.layers[i].mapping, report.layers[i].mapping);
}

TEST(ReadReport, GivesWhatWasWritten) { expect_same(report::sample_report()); }

// Half of 64 words: 32; a third: 21.
TEST(ReadReport, RoomOfBuffersInPartsIsTheSame) {
    for (const double parts : {1.5, 2.0, 3.0, 7.0}) {
        report::Report report = report::sample_report();
        report.architecture.memories[1].multiple_buffering = parts;
        expect_same(report);
    }
}

TEST(ReadReport, PaddingAndFrontsComeBack) {
    report::Report report = report::sample_report();
    report::LayerResult& layer = report.layers.front();
    layer.unpadded = layer.einsum;
    layer.unpadded->dimensions[0].extent = 3;
    layer.front = {{*layer.mapping, 12.5, 7, layer.einsum}, {*layer.mapping, 13.5, 6, {}}};
    expect_same(report);
}

TEST(ReadReport, WhatIsNoReportIsRefusedAtItsPlace) {
    const std::string json = report::report_json(report::sample_report());
    const auto error = [](const std::string& text) -> std::string {
        try {
            read_report(text, "run.json");
        } catch (const InputError& refused) {
            return refused.what();
        }
        return "";
    };
    EXPECT_THAT(error("{\"schema\": \"tilewright-fusion/1\"}"), HasSubstr("begins with 'tilewright-report/'"));
    std::string other = json;
    const std::size_t cycles = other.find("\"cycles\": ");
    ASSERT_NE(cycles, std::string::npos);
    other.insert(cycles + 10, "\"many\", \"were\": ");
    EXPECT_THAT(error(other), HasSubstr("run.json:"));
}

}  // namespace
}  // namespace tilewright::documents::read_report_test
