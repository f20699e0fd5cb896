// The oracle against counts that an independent walk (another program, in another language) found:
// tests/golden/truth_nests.txt.
#include <gmock/gmock.h>

#include <cmath>
#include <ostream>
#include <sstream>
#include <string>
#include <vector>

#include "base/files/file.hpp"
#include "compare.hpp"
#include "nest.hpp"
#include "oracle/oracle.hpp"

namespace tilewright::property {
namespace {

/// "case NAME", a nest, then lines "computes N", "instances MEMORY N" and "at MEMORY TENSOR reads N fills N updates N".
struct Case {
    std::string name;
    std::string nest;
    std::vector<std::string> facts;

    friend void PrintTo(const Case& shown, std::ostream* out) { *out << shown.name; }
};

std::vector<Case> read_cases(const std::string& file) {
    std::vector<Case> cases;
    std::istringstream lines(read_file(file));
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        std::string kind;
        if (!(words >> kind) || kind.starts_with('#')) continue;
        if (kind == "case") {
            cases.emplace_back();
            words >> cases.back().name;
        } else if (kind == "computes" || kind == "instances" || kind == "at") {
            cases.back().facts.push_back(line);
        } else {
            cases.back().nest += line + "\n";
        }
    }
    return cases;
}

void check_traffic(const oracle::Traffic& traffic, bool has_averages, std::istringstream& words) {
    std::string name;
    for (double expected = 0; words >> name >> expected;) {
        if (has_averages && name != "fills") continue;
        const double found = name == "reads" ? traffic.reads : name == "fills" ? traffic.fills : traffic.updates;
        EXPECT_NEAR(found, expected, 1e-9 * std::abs(expected)) << name;
    }
}

void check(const Nest& nest, const oracle::Counts& counts, const std::string& fact) {
    SCOPED_TRACE(fact);
    std::istringstream words(fact);
    std::string kind, tensor;
    std::int64_t memory = 0, number = 0;
    words >> kind;
    if (kind == "computes") {
        words >> number;
        EXPECT_EQ(counts.computes, number);
    } else if (kind == "instances") {
        words >> memory >> number;
        EXPECT_EQ(counts.instances[memory], number);
    } else {
        words >> memory >> tensor;
        const int t = find_tensor(nest.einsum, tensor);
        check_traffic(counts.memories[memory][t], passes_with_remainders(nest, static_cast<int>(memory), t), words);
    }
}

class Truth : public testing::TestWithParam<Case> {};

TEST_P(Truth, OracleFindsTheSameCounts) {
    const Nest nest = parse_nest(GetParam().nest);
    const oracle::Counts counts = oracle::walk(nest.einsum, nest.architecture, nest.mapping);
    for (const std::string& fact : GetParam().facts) check(nest, counts, fact);
}

TEST_P(Truth, ModelAgreesWithTheOracle) { EXPECT_EQ(differences(parse_nest(GetParam().nest)), ""); }

INSTANTIATE_TEST_SUITE_P(Golden, Truth, testing::ValuesIn(read_cases(TRUTH_NESTS)),
                         [](const auto& parameter) { return parameter.param.name; });

}  // namespace
}  // namespace tilewright::property
