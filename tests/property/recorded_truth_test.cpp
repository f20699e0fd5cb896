// The oracle against every recorded truth of ../shared/golden/timeloop (where that folder is at hand), through the
// readers of Timeloop's formats.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "compare.hpp"
#include "nest.hpp"
#include "oracle/oracle.hpp"
#include "timeloop/files/load.hpp"
#include "timeloop/machine/architecture.hpp"
#include "timeloop/mapping/mapping.hpp"
#include "timeloop/problem/problem.hpp"

namespace tilewright::property {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> recorded_cases() {
    const fs::path folder = "../shared/golden/timeloop/cases";
    std::vector<fs::path> cases;
    if (!fs::is_directory(folder)) return cases;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder))
        if (fs::exists(entry.path() / "truth.json")) cases.push_back(entry.path());
    std::ranges::sort(cases);
    return cases;
}

Nest read_nest(const fs::path& folder) {
    Nest nest;
    nest.einsum = timeloop::read_problem(timeloop::load({folder / "problem.yaml"}));
    nest.architecture = timeloop::read_architecture(timeloop::load({folder / "arch.yaml"}));
    nest.mapping = timeloop::read_mapping(timeloop::load({folder / "mapping.yaml"}), nest.einsum, nest.architecture);
    return nest;
}

void check(double found, double expected, const std::string& what) {
    EXPECT_NEAR(found, expected, 1e-9 * std::max(1.0, std::abs(expected))) << what;
}

void check_level(const Nest& nest, const oracle::Counts& counts, const nlohmann::json& level) {
    const std::string name = level["name"];
    const int memory = find_memory(nest.architecture, name);
    ASSERT_GE(memory, 0) << name;
    EXPECT_EQ(counts.instances[memory], level["instances_visited"].get<std::int64_t>()) << name;
    for (const auto& [tensor, traffic] : level["dataspaces"].items()) {
        const oracle::Traffic& found = counts.memories[memory][find_tensor(nest.einsum, tensor)];
        check(found.fills, traffic["fills"], name + " " + tensor + " fills");
        if (passes_with_remainders(nest, memory, find_tensor(nest.einsum, tensor))) continue;
        check(found.reads, traffic["reads"], name + " " + tensor + " reads");
        check(found.updates, traffic["updates"], name + " " + tensor + " updates");
    }
}

TEST(RecordedTruth, OracleAndModelFindTheSameCounts) {
    const std::vector<fs::path> cases = recorded_cases();
    if (cases.empty()) GTEST_SKIP() << "../shared/golden is not here; truth_test checks a part of it";
    for (const fs::path& folder : cases) {
        SCOPED_TRACE(folder.filename().string());
        const Nest nest = read_nest(folder);
        const nlohmann::json truth = nlohmann::json::parse(std::ifstream(folder / "truth.json"));
        const oracle::Counts counts = oracle::walk(nest.einsum, nest.architecture, nest.mapping);
        EXPECT_EQ(counts.computes, truth["computes"].get<std::int64_t>());
        for (const nlohmann::json& level : truth["levels"]) check_level(nest, counts, level);
        EXPECT_EQ(differences(nest), "");
    }
}

}  // namespace
}  // namespace tilewright::property
