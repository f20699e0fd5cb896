#include "report/comparison/mapper_comparison.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace tilewright::report::mapper_comparison_test {
namespace {

using ::testing::HasSubstr;

Improvement better(std::int64_t evaluations, double seconds, double score) {
    return {evaluations, seconds, {std::nullopt, score, 1}, {score, score}};
}

// A steady mapper in two runs, and a lucky one that is late.
MapperComparison sample() {
    MapperComparison comparison;
    comparison.architecture = "tiny";
    comparison.network = "net";
    comparison.objective = "edp";
    comparison.contestants = {{"steady", "perfect"}, {"lucky", "ruby-s"}};
    const MapperRun steady1{1, 10, 0.010, "done", {better(1, 0.001, 8.0), better(4, 0.004, 4.0)}};
    const MapperRun steady2{2, 10, 0.010, "done", {better(1, 0.001, 6.0), better(5, 0.005, 2.0)}};
    const MapperRun lucky{1, 10, 0.020, "done", {better(7, 0.014, 2.0)}};
    comparison.layers = {{"a,b", 2, {{steady1, steady2}, {lucky, lucky}}},
                         {"c", 1, {{steady1, steady1}, {lucky, lucky}}}};
    return comparison;
}

TEST(MapperComparison, MeansAreOverRunsAndHaveHoles) {
    const MapperComparison comparison = sample();
    const std::vector<MapperRun>& steady = comparison.layers[0].runs[0];
    EXPECT_EQ(mean_score(steady, Effort::evaluations, 1), 7.0);
    EXPECT_EQ(mean_score(steady, Effort::evaluations, 4), 5.0);
    EXPECT_EQ(mean_score(steady, Effort::seconds, 0.0045), 5.0);
    EXPECT_EQ(mean_score(steady, Effort::evaluations, 100), 3.0);
    EXPECT_EQ(mean_score(comparison.layers[0].runs[1], Effort::evaluations, 6), std::nullopt);
    EXPECT_EQ(comparison.layers[0].best(), 2.0);
}

TEST(MapperComparison, CheckpointsEndWhereTheLongestRunDoes) {
    EXPECT_EQ(checkpoints(sample(), Effort::evaluations), (std::vector<double>{1, 2, 5, 10}));
    EXPECT_EQ(checkpoints(sample(), Effort::seconds).back(), 0.020);
}

TEST(MapperComparison, GeometricMeanOfLayers) {
    EXPECT_DOUBLE_EQ(relative_score(sample(), 0, Effort::evaluations, 10).value(), std::sqrt(1.5 * 2.0));
    EXPECT_EQ(relative_score(sample(), 1, Effort::evaluations, 5), std::nullopt);
    EXPECT_DOUBLE_EQ(relative_score(sample(), 1, Effort::evaluations, 10).value(), 1.0);
}

TEST(MapperComparison, AsText) {
    const std::string text = mappers_text(sample());
    EXPECT_THAT(text, HasSubstr("evaluations  steady  lucky/ruby-s"));
    EXPECT_THAT(text, HasSubstr("         10   1.732             1"));
    EXPECT_THAT(text, HasSubstr("          5   1.732             -"));
}

TEST(MapperComparison, AsCsv) {
    const std::string csv = mappers_csv(sample());
    EXPECT_THAT(csv, HasSubstr("layer,mapper,factors,effort,spent,score,relative\n"));
    EXPECT_THAT(csv, HasSubstr("\"a,b\",steady,perfect,evaluations,1,7,3.5\n"));
    EXPECT_THAT(csv, HasSubstr("c,lucky,ruby-s,evaluations,5,,\n"));
    EXPECT_THAT(csv, HasSubstr("*,lucky,ruby-s,evaluations,10,,1\n"));
}

TEST(MapperComparison, AsJson) {
    const auto json = nlohmann::json::parse(mappers_json(sample()));
    EXPECT_EQ(json["schema"], "tilewright-mappers/1");
    EXPECT_EQ(json["contestants"][1]["factors"], "ruby-s");
    EXPECT_EQ(json["by_evaluations"][2]["spent"], 5.0);
    EXPECT_TRUE(json["by_evaluations"][2]["relative"][1].is_null());
    EXPECT_EQ(json["layers"][0]["contestants"][0]["runs"][1]["improvements"][1]["score"], 2.0);
}

}  // namespace
}  // namespace tilewright::report::mapper_comparison_test
