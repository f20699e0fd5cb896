#include "timeloop/files/search_options.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tilewright::timeloop::search_options_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

SearchOptions options_in(const std::string& text) { return read_search_options(yaml::parse_text(text, "mapper.yaml")); }

std::string error_of(const std::string& text) {
    try {
        options_in(text);
    } catch (const InputError& error) {
        return error.what();
    }
    return "";
}

TEST(SearchOptions, ReadsTheMapperSection) {
    const SearchOptions options = options_in(
        "mapper:\n"
        "  algorithm: random-pruned\n"
        "  optimization_metrics: [ delay, energy ]\n"
        "  victory_condition: 500\n"
        "  timeout: 10000\n"
        "  search_size: 0\n"
        "  num_threads: 8\n"
        "  live_status: False\n");
    EXPECT_EQ(options.algorithm, "random_pruned");
    EXPECT_THAT(options.metrics, ElementsAre("delay", "energy"));
    EXPECT_EQ(options.victory_condition, 500);
    EXPECT_EQ(options.timeout, 10000);
    EXPECT_EQ(options.search_size, std::nullopt);  // 0: no limit
    EXPECT_EQ(options.threads, 8);
    EXPECT_THAT(options.display, ElementsAre("live_status"));
}

TEST(SearchOptions, AreEmptyWithoutTheSection) {
    const SearchOptions options = options_in("problem: {}\n");
    EXPECT_EQ(options.algorithm, std::nullopt);
    EXPECT_TRUE(options.metrics.empty());
}

// A mostly empty mapper, as dumped by the front end of version 0.4.
TEST(SearchOptions, OfADumpMayBeNull) {
    const SearchOptions options = options_in(
        "mapper: {algorithm: null, optimization_metric: [], optimization_metrics: [edp], search_size: null, "
        "timeout: null, victory_condition: 100, num_threads: null}\n");
    EXPECT_EQ(options.algorithm, std::nullopt);
    EXPECT_THAT(options.metrics, ElementsAre("edp"));
    EXPECT_EQ(options.search_size, std::nullopt);
    EXPECT_EQ(options.timeout, std::nullopt);
    EXPECT_EQ(options.victory_condition, 100);
}

TEST(SearchOptions, RefusesWhatItDoesNotKnow) {
    EXPECT_THAT(error_of("mapper:\n  victory_conditon: 5\n"), HasSubstr("mapper.yaml:2:3: error: unknown key"));
    EXPECT_THAT(error_of("mapper: { algorithm: hybird }\n"),
                HasSubstr("unknown algorithm 'hybird'; did you mean 'hybrid'?"));
    EXPECT_THAT(error_of("mapper: { optimization_metrics: [ speed ] }\n"), HasSubstr("unknown metric 'speed'"));
    EXPECT_THAT(error_of("mapper: { timeout: -1 }\n"), HasSubstr("at least 0"));
}

TEST(SearchOptions, ATemplateChoosesTheFactorRule) {
    EXPECT_EQ(options_in("mapspace: {template: uber}\n").factors, "perfect");
    EXPECT_EQ(options_in("mapspace: {template: ruby_s}\n").factors, "ruby-s");
    EXPECT_EQ(options_in("mapspace: []\n").factors, std::nullopt);
    EXPECT_THAT(error_of("mapspace: {template: rubi}\n"), HasSubstr("did you mean 'ruby'?"));
}

}  // namespace
}  // namespace tilewright::timeloop::search_options_test
