// Recorded runs of timeloop-mapper that stand alone (tests/golden/timeloop/searches.csv: the short ones of every
// machine and search); timeloop_searches takes all of them where ../shared is.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "arch/estimation/estimate.hpp"
#include "timeloop/files/load.hpp"
#include "timeloop/machine/architecture.hpp"
#include "timeloop_runs.hpp"
#include "workload/shapes.hpp"

namespace tilewright::timeloop_searches_test {
namespace {

using golden::SearchRun;

class Cells {
   public:
    explicit Cells(const std::string& line) : cells_(line) {}
    std::string text() {
        std::string cell;
        std::getline(cells_, cell, ',');
        return cell;
    }
    std::int64_t integer() { return std::stoll(text()); }

   private:
    std::istringstream cells_;
};

Convolution layer_of(Cells& cells) {
    Convolution shape;
    shape.width.kernel = cells.integer();
    shape.height.kernel = cells.integer();
    shape.width.positions = cells.integer();
    shape.height.positions = cells.integer();
    shape.in_channels = cells.integer();
    shape.out_channels = cells.integer();
    shape.batch = cells.integer();
    shape.width.stride = cells.integer();
    shape.height.stride = cells.integer();
    return shape;
}

SearchRun run_of(const std::string& line) {
    Cells cells(line);
    SearchRun run;
    const std::string machine = cells.text();
    run.name = machine + " " + cells.text();
    run.algorithm = cells.text();
    run.metric = cells.text();
    run.search_size = cells.integer();
    run.victory = cells.integer();
    run.timeout = cells.integer();
    const yaml::Node file = timeloop::load({"tests/baselines/" + machine + ".yaml"});
    run.architecture = timeloop::read_architecture(file);
    estimate(run.architecture, Estimator::timeloop_pat);
    run.einsum = convolution(layer_of(cells));
    run.constraints = timeloop::read_constraints(file, run.architecture, run.einsum);
    for (int thread = 0; thread < 2; ++thread) {
        golden::ThreadRecord record;
        for (std::int64_t* count : {&record.tried, &record.valid, &record.without_fanout, &record.without_room})
            *count = cells.integer();
        record.cut = cells.integer() != 0;
        run.streams.push_back(record);
    }
    if (const std::string energy = cells.text(); !energy.empty()) run.best = {std::stod(energy), cells.integer()};
    return run;
}

std::vector<SearchRun> recorded_runs() {
    std::ifstream file("tests/golden/timeloop/searches.csv");
    std::vector<SearchRun> runs;
    std::string line;
    std::getline(file, line);  // the header
    while (std::getline(file, line)) runs.push_back(run_of(line));
    return runs;
}

TEST(TimeloopSearches, RepeatTimeloopsOwnRunsStepForStep) {
    const std::vector<SearchRun> runs = recorded_runs();
    EXPECT_GE(runs.size(), 15U);
    for (const SearchRun& run : runs)
        EXPECT_EQ(golden::difference(run), "") << run.name << " " << run.algorithm << " " << run.metric;
}

// Another seed walks elsewhere; nothing else tells that the draws decide what is seen.
TEST(TimeloopSearches, OtherSeedsSeeOtherMappings) {
    for (const SearchRun& run : recorded_runs()) {
        if (run.algorithm != "random" || run.name.find("small3") == std::string::npos) continue;
        const auto theirs = golden::streams_of(run, run.streams, 1);
        const auto others = golden::streams_of(run, run.streams, 2);
        EXPECT_NE(theirs.front().tried, others.front().tried);
        return;
    }
    FAIL() << "there is no such run";
}

}  // namespace
}  // namespace tilewright::timeloop_searches_test
