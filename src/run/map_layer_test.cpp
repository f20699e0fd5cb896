#include "run/map_layer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fixtures/register_product.hpp"
#include "run/claim.hpp"
#include "run/evaluate_layer.hpp"
#include "run/machine.hpp"
#include "workload/shapes.hpp"

namespace tilewright::map_layer_test {
namespace {

using fixtures::register_product;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(Conflict, IsPartOfWhatALayerWithoutMappingIsTold) {
    LayerProblem problem = register_product();
    problem.constraints.levels[1].must_keep.add(2);
    problem.constraints.levels[1].temporal.factors[0].exactly = 32;
    const LayerAnswer answer = map_layer(problem);
    EXPECT_FALSE(answer.mapping.has_value());
    ASSERT_EQ(answer.failures.size(), 5U);
    EXPECT_THAT(answer.failures[1], HasSubstr("exclude each other"));
    EXPECT_EQ(answer.failures[3], "- Register: temporal K=32");
}

TEST(Conflict, IsNotClaimedWhereFactorsMayLeaveRemainders) {
    LayerProblem problem = register_product();
    problem.constraints.levels[1].must_keep.add(2);
    problem.constraints.levels[1].temporal.factors[0].exactly = 32;
    MapOptions options;
    options.factors = FactorRule::ruby;
    options.mapper = MapperKind::exhaustive;
    EXPECT_EQ(map_layer(problem, options).failures.size(), 1U);
}

// A report of layers a, b, ... of a thousand picojoules and cycles each, by what their searches say.
report::Report searched(std::vector<SearchSummary> searches) {
    report::Report report;
    for (SearchSummary& search : searches) {
        report::LayerResult layer;
        layer.names = {std::string(1, static_cast<char>('a' + report.layers.size()))};
        layer.evaluation.emplace();
        layer.evaluation->energy_pj = 1000.0;
        layer.evaluation->cycles = 1000;
        layer.search = std::move(search);
        report.layers.push_back(std::move(layer));
    }
    return report;
}

SearchSummary bounded(std::optional<double> bound, bool proven = false) {
    SearchSummary search;
    search.lower_bound = bound;
    search.proven = proven;
    return search;
}

TEST(Unproven, LayersAreNamedWithTheirDistance) {
    const MapOptions options;  // the energy-delay product
    const std::string note = unproven_note(searched({bounded(1e6, true), bounded(8e5), bounded({})}), options);
    EXPECT_THAT(note, testing::StartsWith("not proven, 2 of 3 layer shapes: b (at most 20.0 % from the best) and c "
                                          "(no lower bound); `constraints:`"));
    MapOptions energy;
    energy.objective.kind = ObjectiveKind::energy;
    EXPECT_THAT(unproven_note(searched({bounded(900.0)}), energy), HasSubstr("a (at most 10.0 % from the best)"));
    EXPECT_THAT(unproven_note(searched(std::vector(6, bounded(5e5))), options), HasSubstr("d (at most 50.0 %"));
    EXPECT_THAT(unproven_note(searched(std::vector(6, bounded(5e5))), options), HasSubstr("and 2 more;"));
}

TEST(Unproven, NothingIsSaidWhereAllIsProvenOrNothingWasToBe) {
    EXPECT_EQ(unproven_note(searched({bounded(1e6, true)}), MapOptions{}), "");
    MapOptions heuristic;
    heuristic.mapper = MapperKind::hybrid;
    EXPECT_EQ(unproven_note(searched({bounded({})}), heuristic), "");
    report::Report unmapped = searched({bounded({})});
    unmapped.layers.front().evaluation.reset();
    EXPECT_EQ(unproven_note(unmapped, MapOptions{}), "");
}

// A mapping that puts groups side by side in an array whose rows share their inputs.
TEST(MappingNotes, WhatNoWireCanGiveIsSaidOfGivenMappings) {
    const Machine machine = Machine::named("gemmini");
    const Einsum einsum = depthwise(64, 8, 3);
    const Constraints rules = machine.constraints()(einsum);
    MapOptions fastest;
    fastest.objective = {.kind = ObjectiveKind::latency};
    fastest.mapper = MapperKind::hybrid;
    fastest.evaluations = 2000;
    const LayerAnswer free = map_layer({einsum, machine.architecture(), {}}, fastest);
    EXPECT_THAT(spread_notes(einsum, machine.architecture(), *free.mapping, rules),
                Contains(HasSubstr("; the constraints of the machine allow 1")));
    const LayerAnswer bound = map_layer({einsum, machine.architecture(), rules}, fastest);
    EXPECT_THAT(spread_notes(einsum, machine.architecture(), *bound.mapping, rules), IsEmpty());
}

}  // namespace
}  // namespace tilewright::map_layer_test
