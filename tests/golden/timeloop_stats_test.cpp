// Timeloop's published reference outputs: the given mapping on the given machine with the given energies has to give
// the cycles and energies of timeloop-mapper.stats.txt, to the digits printed there. The files lie in ../shared and are
// not part of the project.
#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "arch/estimation/estimate.hpp"
#include "timeloop/account/timeloop.hpp"
#include "timeloop/files/load.hpp"
#include "timeloop/machine/architecture.hpp"
#include "timeloop/mapping/mapping.hpp"
#include "timeloop/problem/problem.hpp"

namespace tilewright::timeloop_stats_test {
namespace {

using std::filesystem::path;

path examples() { return path("../shared") / "examples" / "timeloop"; }

/// The summary at the end of a stats file. Energies are kept as printed: two decimals.
struct Stats {
    std::int64_t cycles = 0;
    std::int64_t computes = 0;
    std::string energy_uj;
    std::string utilization_percent;
    std::map<std::string, std::string> fj_per_compute;  ///< by component
};

std::string trimmed(const std::string& text) {
    const std::size_t begin = text.find_first_not_of(' ');
    return begin == std::string::npos ? "" : text.substr(begin, text.find_last_not_of(' ') - begin + 1);
}

/// What stands between `before` and `after` when the line is made so.
std::optional<std::string> between(const std::string& line, std::string_view before, std::string_view after) {
    if (!line.starts_with(before) || !line.ends_with(after)) return std::nullopt;
    return line.substr(before.size(), line.size() - before.size() - after.size());
}

Stats read_stats(const path& file) {
    Stats stats;
    std::ifstream in(file);
    bool breakdown = false;
    for (std::string line; std::getline(in, line);) {
        if (const auto value = between(line, "Cycles: ", "")) stats.cycles = std::stoll(*value);
        if (const auto value = between(line, "Computes = ", "")) stats.computes = std::stoll(*value);
        if (const auto value = between(line, "Energy: ", " uJ")) stats.energy_uj = *value;
        if (const auto value = between(line, "Utilization: ", "%")) stats.utilization_percent = *value;
        const std::size_t equals = line.find(" = ");
        if (breakdown && equals != std::string::npos)
            stats.fj_per_compute[trimmed(line.substr(0, equals))] = trimmed(line.substr(equals + 3));
        if (line == "fJ/Compute") breakdown = true;
    }
    return stats;
}

std::string two_decimals(double value) {
    char text[64];
    std::snprintf(text, sizeof text, "%.2f", value);
    return text;
}

struct Design {
    const char* folder;
    const char* name;
};

std::ostream& operator<<(std::ostream& out, const Design& design) { return out << design.name; }

class TimeloopStats : public testing::TestWithParam<Design> {};

TEST_P(TimeloopStats, GivenMappingHasThePrintedCyclesAndEnergies) {
    const path folder = examples() / GetParam().folder;
    if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no reference outputs: " << folder << " is absent";
    const Stats stats = read_stats(folder / "timeloop-mapper.stats.txt");
    ASSERT_GT(stats.cycles, 0);

    const yaml::Node problem = timeloop::load({folder / "parsed-processed-input.yaml"});
    const yaml::Node machine =
        timeloop::load({folder / "parsed-processed-input.yaml", folder / "timeloop-mapper.ERT.yaml",
                        folder / "timeloop-mapper.ART.yaml"});
    const Einsum einsum = timeloop::read_problem(problem);
    Architecture architecture = timeloop::read_architecture(machine);
    estimate(architecture, Estimator::timeloop_pat);
    const Mapping mapping =
        timeloop::read_mapping(timeloop::load({folder / "timeloop-mapper.map.yaml"}), einsum, architecture);
    const account::TimeloopResult result =
        account::timeloop(einsum, architecture, mapping, {.reuse_after_pause = false});

    ASSERT_FALSE(result.refusal) << result.refusal->message;
    EXPECT_EQ(result.undefined, "");
    EXPECT_EQ(result.cycles, stats.cycles);
    EXPECT_EQ(result.computes, stats.computes);
    EXPECT_EQ(two_decimals(result.energy_pj * 1e-6), stats.energy_uj);
    EXPECT_EQ(two_decimals(result.utilization * 100), stats.utilization_percent);
    const auto computes = static_cast<double>(result.computes);
    EXPECT_EQ(two_decimals(result.energy_pj / computes * 1000), stats.fj_per_compute.at("Total"));
    const Evaluation evaluation = account::to_evaluation(result, architecture);
    for (const MemoryEvaluation& memory : evaluation.memories) {
        const auto printed = stats.fj_per_compute.find(memory.name);
        if (printed == stats.fj_per_compute.end()) continue;
        EXPECT_EQ(two_decimals(memory.energy_pj / computes * 1000), printed->second) << memory.name;
    }
}

INSTANTIATE_TEST_SUITE_P(Designs, TimeloopStats,
                         testing::Values(Design{"example_designs/eyeriss_like/ref_outputs/default_problem",
                                                "eyeriss_like"},
                                         Design{"example_designs/simba_like/ref_outputs/default_problem", "simba_like"},
                                         Design{"example_designs/simple_output_stationary/ref_outputs/default_problem",
                                                "simple_output_stationary"},
                                         Design{"example_designs/simple_weight_stationary/ref_outputs/default_problem",
                                                "simple_weight_stationary"},
                                         Design{"tutorial_dse/outputs", "tutorial_dse"}),
                         [](const auto& design) { return std::string(design.param.name); });

}  // namespace
}  // namespace tilewright::timeloop_stats_test
