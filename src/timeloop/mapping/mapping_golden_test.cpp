// Mappings of the golden cases, if available: legal ones equal Timeloop's loop nests line by line, illegal ones are
// refused for its reasons, and written ones read back.
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "base/files/file.hpp"
#include "mapping/text.hpp"
#include "mapping/validity.hpp"
#include "timeloop/files/load.hpp"
#include "timeloop/machine/architecture.hpp"
#include "timeloop/mapping/mapping.hpp"
#include "timeloop/mapping/nest.hpp"
#include "timeloop/problem/problem.hpp"

namespace tilewright::timeloop::mapping_golden_test {
namespace {

struct Outcome {
    std::string kind = "valid";
    std::string level;
    std::string nest;  // empty where Timeloop shows something else
};

// Timeloop divides tiles spread over several memories by an M:N network, in its text only.
bool distributes(const Architecture& architecture) {
    return std::any_of(architecture.memories.begin(), architecture.memories.end(),
                       [](const Memory& memory) { return memory.link.spread == NetworkSpread::many_to_many; });
}

Outcome outcome_of(const std::filesystem::path& folder) {
    Outcome outcome;
    try {
        const yaml::Node root = load({folder / "arch.yaml", folder / "problem.yaml", folder / "mapping.yaml"});
        const Einsum einsum = read_problem(root);
        const Architecture architecture = read_architecture(root);
        const Mapping mapping = read_mapping(root, einsum, architecture);
        const std::vector<Violation> violations = check(einsum, architecture, mapping);
        if (!violations.empty()) return {violation_kind_name(violations[0].kind), violations[0].level, ""};
        if (!distributes(architecture)) outcome.nest = loop_nest_text(einsum, architecture, mapping);
        for (const std::string& text :
             {write_mapping(mapping, einsum, architecture), write_nest(mapping, einsum, architecture)})
            EXPECT_EQ(read_mapping(yaml::parse_text(text), einsum, architecture), mapping) << folder;
    } catch (const InputError& error) {
        outcome.kind = error_code_name(error.code());
        std::replace(outcome.kind.begin(), outcome.kind.end(), '-', '_');
    }
    return outcome;
}

// Without underlines, empty lines, trailing spaces, and Timeloop's second number per tile ("Weights:48 (48)").
std::vector<std::string> lines_of(const std::string& nest) {
    std::vector<std::string> lines;
    std::istringstream in(nest);
    for (std::string line; std::getline(in, line);) {
        for (std::size_t place = line.find(" ("); place != std::string::npos; place = line.find(" (", place + 1))
            if (place + 2 < line.size() && line[place + 2] >= '0' && line[place + 2] <= '9')
                line.erase(place, line.find(')', place) + 1 - place);
        line.erase(line.find_last_not_of(' ') + 1);
        if (line.find_first_not_of('-') != std::string::npos) lines.push_back(line);
    }
    return lines;
}

std::filesystem::path golden_folder() {
    for (const char* place : {"shared", "../shared", "../../shared"}) {
        const std::filesystem::path folder = std::filesystem::path(place) / "golden/timeloop/cases";
        if (std::filesystem::is_directory(folder)) return folder;
    }
    return {};
}

TEST(GoldenMappings, AreReadCheckedAndShownAsTimeloopDoes) {
    const std::filesystem::path folder = golden_folder();
    if (folder.empty()) GTEST_SKIP() << "the golden cases (shared/golden/timeloop/cases) are not here";
    int legal = 0;
    int illegal = 0;
    int shown = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        if (!std::filesystem::exists(entry.path() / "mapping.yaml")) continue;
        const yaml::Node expected = yaml::parse_file(entry.path() / "expected.json");
        const Outcome outcome = outcome_of(entry.path());
        if (expected.at("valid").boolean()) {
            ++legal;
            EXPECT_EQ(outcome.kind, "valid") << entry.path();
            if (outcome.nest.empty()) continue;
            ++shown;
            EXPECT_EQ(lines_of(outcome.nest), lines_of(read_file(entry.path() / "map.txt"))) << entry.path();
        } else {
            ++illegal;
            EXPECT_EQ(outcome.kind, expected.at("kind").text()) << entry.path();
            const yaml::Node* level = expected.find("level");
            EXPECT_EQ(outcome.level, level == nullptr || level->is_null() ? "" : level->text()) << entry.path();
        }
    }
    EXPECT_GE(legal, 570);
    EXPECT_GE(illegal, 68);
    EXPECT_GE(shown, 500);
}

}  // namespace
}  // namespace tilewright::timeloop::mapping_golden_test
