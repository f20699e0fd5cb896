#include "report/llm/serving.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tilewright::report::serving_test {
namespace {

using testing::HasSubstr;
using testing::Not;

llm::PhaseCosts costs_at(std::int64_t batch, double seconds) {
    llm::PhaseCosts costs;
    costs.point = {Phase::decode, batch, 1, 99, 1};
    costs.seconds = seconds;
    costs.energy_pj = 1e9;
    costs.bounds = {{"memory", 1.0}};
    return costs;
}

ServingReport report_of_two() {
    ServingReport report;
    report.machine = "m";
    report.points = {costs_at(1, 0.01), costs_at(8, 0.02)};
    return report;
}

TEST(ServingReports, HaveTheRatesOfTheirPoints) {
    EXPECT_THAT(serving_text(report_of_two()), HasSubstr("20.00 ms       400     8,000        0 %  memory 100 %"));
    EXPECT_THAT(serving_csv(report_of_two()), HasSubstr("decode,1,8,1,99,0.02,400,"));
    EXPECT_EQ(serving_figures(report_of_two()).size(), 1U);
}

TEST(ServingReports, APageBeginsWithTheBestPoints) {
    const views::Headline headline = serving_headline(report_of_two());
    ASSERT_EQ(headline.cards.size(), 3U);  // nothing of a prompt
    EXPECT_EQ(headline.cards[0].value, "10.00 ms");
    EXPECT_EQ(headline.cards[1].value, "400");
    EXPECT_EQ(headline.cards[1].about, "batch 8, context 99");
    EXPECT_EQ(headline.tables.size(), 2U);
}

// An interrupted search has costs of some parts only.
TEST(ServingReports, HaveNoTimesWhereACostIsMissing) {
    ServingReport report = report_of_two();
    report.points[1].failures = {"mlp.up: interrupted"};
    report.points.push_back(report.points[1]);
    report.points.back().seconds = 0.0;
    report.points.back().bounds.clear();
    EXPECT_THAT(serving_text(report), Not(HasSubstr("20.00 ms")));
    EXPECT_THAT(serving_text(report), HasSubstr("mlp.up: interrupted"));
    EXPECT_THAT(serving_csv(report), HasSubstr("decode,1,8,1,99,,,"));
    EXPECT_THAT(serving_json(report), HasSubstr("\"tokens_per_second\": null"));
    EXPECT_TRUE(serving_figures(report).empty());
}

}  // namespace
}  // namespace tilewright::report::serving_test
