// Objective values of CoSA's released models, solved elsewhere with other solvers (tests/golden/cosa/README.md).
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "cosa_machine.hpp"
#include "mapping/validity.hpp"

namespace tilewright::golden::cosa_facts_test {
namespace {

/// One line of objectives.csv.
struct Fact {
    std::string machine;
    std::string variant;
    Convolution shape;
    double objective = 0.0;
    bool fits = true;
};

std::vector<Fact> facts() {
    std::ifstream file("tests/golden/cosa/objectives.csv");
    std::vector<Fact> facts;
    std::string line;
    std::getline(file, line);  // the header
    while (std::getline(file, line)) {
        std::replace(line.begin(), line.end(), ',', ' ');
        std::istringstream cells(line);
        Fact f;
        cells >> f.machine >> f.variant >> f.shape.width.kernel >> f.shape.height.kernel >> f.shape.width.positions >>
            f.shape.height.positions >> f.shape.in_channels >> f.shape.out_channels >> f.shape.batch >>
            f.shape.width.stride >> f.shape.height.stride >> f.objective >> f.fits;
        facts.push_back(f);
    }
    return facts;
}

std::string text(const Fact& fact) {
    return fact.variant + " on " + fact.machine + ": " + convolution(fact.shape).name;
}

TEST(CosaFacts, ObjectivesAreThoseOfOtherSolvers) {
    ASSERT_GE(facts().size(), 30U);
    for (const Fact& fact : facts()) {
        const Einsum einsum = convolution(fact.shape);
        const CosaMachine machine(fact.machine);
        cosa::ProgramOptions options;
        options.variant = cosa::variant_named(fact.variant).value();
        const cosa::Schedule schedule = machine.schedule(einsum, options);
        EXPECT_EQ(schedule.status, mip::Status::optimal) << text(fact);
        EXPECT_NEAR(schedule.objective, fact.objective, 1e-5) << text(fact);
        ASSERT_TRUE(schedule.point);
        EXPECT_EQ(check(einsum, machine.architecture, mapping_of(*schedule.point)).empty(), fact.fits) << text(fact);
    }
}

// The formulation with one binary per prime factor has the same optimum, on a layer that is quick.
TEST(CosaFacts, BinariesHaveTheOptimumOfCounts) {
    for (const Fact& fact : facts()) {
        if (fact.shape.width.kernel != 11) continue;
        const CosaMachine machine(fact.machine);
        cosa::ProgramOptions options;
        options.variant = cosa::variant_named(fact.variant).value();
        options.formulation = cosa::Formulation::as_published;
        const cosa::Schedule schedule = machine.schedule(convolution(fact.shape), options);
        EXPECT_EQ(schedule.status, mip::Status::optimal) << text(fact);
        EXPECT_NEAR(schedule.objective, fact.objective, 1e-5) << text(fact);
    }
}

}  // namespace
}  // namespace tilewright::golden::cosa_facts_test
