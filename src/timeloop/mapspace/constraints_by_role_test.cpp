// Layer rules for einsums with names of their own.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "arch/widths.hpp"
#include "base/error.hpp"
#include "timeloop/files/load.hpp"
#include "timeloop/files/zoo.hpp"
#include "timeloop/machine/architecture.hpp"
#include "workload/einsum_text.hpp"
#include "workload/rename.hpp"
#include "workload/shapes.hpp"

namespace tilewright::timeloop::constraints_by_role_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Einsum product(const std::string& text) { return parse_einsum(text, {{"m", 96}, {"n", 128}, {"k", 64}}); }

Constraints rules(const std::string& machine, const Einsum& einsum, VoidNamesByFile* found = nullptr) {
    const yaml::Node root = zoo_architecture(machine);
    return read_constraints(root, read_architecture(root), einsum, Unnamed::ignore_in_zoo, found);
}

// The product as a layer: the same dimensions and tensors in place, under layer names.
Einsum as_layer(const Einsum& einsum, const std::vector<std::pair<std::string, std::string>>& names) {
    Layer layer{"layer", "MatMul", einsum, 1, {}};
    rename_ranks(layer, names);
    return layer.einsum;
}

LoopConstraint without_order(LoopConstraint loops) {
    loops.inner.clear();
    loops.outer.clear();
    loops.split.reset();
    return loops;
}

Constraints without_orders(Constraints rules) {
    for (LevelConstraint& level : rules.levels) {
        level.spatial = without_order(level.spatial);
        level.temporal = without_order(level.temporal);
    }
    return rules;
}

// Permitted placements of every machine with rules: equal to those of the equivalent layer.
TEST(ConstraintsByRole, AProductOfOtherNamesHasTheRulesOfTheLayerThatItIs) {
    const Einsum einsum = product("Y[m,n] += X[m,k] * W[k,n]");
    const Einsum layer =
        as_layer(einsum, {{"X", "Inputs"}, {"W", "Weights"}, {"Y", "Outputs"}, {"m", "N"}, {"n", "K"}, {"k", "C"}});
    int with_rules = 0;
    for (const std::string& name : zoo_architectures()) {
        SCOPED_TRACE(name);
        const Constraints own = rules(name, einsum);
        const Constraints of_layer = rules(name, layer);
        ASSERT_EQ(own.levels.size(), of_layer.levels.size());
        for (std::size_t m = 0; m < own.levels.size(); ++m) {
            EXPECT_EQ(own.levels[m].must_keep, of_layer.levels[m].must_keep);
            EXPECT_EQ(own.levels[m].must_bypass, of_layer.levels[m].must_bypass);
            EXPECT_EQ(without_order(own.levels[m].spatial), without_order(of_layer.levels[m].spatial));
            EXPECT_EQ(without_order(own.levels[m].temporal), without_order(of_layer.levels[m].temporal));
            with_rules += !own.levels[m].must_bypass.empty();
        }
    }
    EXPECT_GT(with_rules, 30);
}

Einsum capitals() {
    return parse_einsum("Outputs[M,N] += Inputs[M,K] * Weights[K,N]", {{"M", 96}, {"N", 128}, {"K", 64}});
}

// The usual letters of a product beside the usual tensor names: a layer's K is not the reduction.
TEST(ConstraintsByRole, NamesOfLayersForSomethingElseDoNotBind) {
    const Einsum small = product("Outputs[m,n] += Inputs[m,k] * Weights[k,n]");
    for (const std::string& name : zoo_architectures())
        EXPECT_EQ(rules(name, capitals()).levels, rules(name, small).levels) << name;
    VoidNamesByFile found;
    rules("gemmini", capitals(), &found);
    EXPECT_THAT(notes_about(found),
                ElementsAre("data/arch/gemmini.yaml: rules of layers hold by role: M is N, N is K, K is C (N and K are "
                            "something else in layers; --unnamed ignore holds to names)"));
    const yaml::Node root = zoo_architecture("gemmini");
    const Constraints by_name = read_constraints(root, read_architecture(root), capitals(), Unnamed::ignore);
    EXPECT_NE(by_name.levels, rules("gemmini", small).levels);
}

TEST(ConstraintsByRole, TheReportSaysWhoPlaysWhat) {
    VoidNamesByFile found;
    rules("gemmini", product("Y[m,n] += W[k,n] * X[m,k]"), &found);
    EXPECT_THAT(notes_about(found),
                ElementsAre("data/arch/gemmini.yaml: rules of layers hold by role: W is Weights, X is Inputs, Y is "
                            "Outputs; m is N, n is K, k is C (--rename says otherwise)"));
    found.clear();
    rules("gemmini", conv2d(8, 8, 4, 3), &found);
    EXPECT_THAT(notes_about(found), IsEmpty());
}

constexpr const char* kMachine = R"(
architecture:
  version: 0.4
  nodes:
  - !Container {name: chip, attributes: {technology: "45nm"}}
  - !Component {name: DRAM, class: DRAM, attributes: {type: LPDDR4, width: 64, datawidth: 8}}
  - !Container
    name: column
    spatial: {meshX: 16}
    constraints: {spatial: {factors: ["K<=4", N=1]}}
  - !Component
    name: buffer
    class: SRAM
    attributes: {depth: 64, width: 64, datawidth: 8}
    constraints: {dataspace: {keep: [Weights], bypass: [Inputs, Outputs]}}
  - !Component {name: mac, class: intmac, attributes: {datawidth: 8}}
)";

Constraints own_rules(const Einsum& einsum, Unnamed unnamed, const std::string& text = kMachine) {
    const yaml::Node root = load_text(text, "own.yaml");
    return read_constraints(root, read_architecture(root), einsum, unnamed);
}

std::string mistake(const Einsum& einsum, Unnamed unnamed, const std::string& text = kMachine) {
    try {
        own_rules(einsum, unnamed, text);
    } catch (const InputError& error) {
        return error.what();
    }
    return "";
}

TEST(ConstraintsByRole, FilesOfUsersLikewiseUnlessTheyAskForNames) {
    const Einsum einsum = product("Y[m,n] += X[m,k] * W[k,n]");
    const Constraints own = own_rules(einsum, Unnamed::ignore_in_zoo);
    const LevelConstraint& column = own.levels[1];
    EXPECT_EQ(own.levels[2].must_keep, TensorSet::of(find_tensor(einsum, "W")));
    EXPECT_EQ(column.spatial.factors[find_dimension(einsum, "n")].at_most, 4);
    EXPECT_EQ(column.spatial.factors[find_dimension(einsum, "m")].exactly, 1);
    EXPECT_THAT(mistake(einsum, Unnamed::refuse), HasSubstr("there is no dimension 'K'"));
    EXPECT_TRUE(own_rules(einsum, Unnamed::ignore).levels[2].must_keep.empty());
}

// Timeloop's pairs: the rules are written for their problem.
TEST(ConstraintsByRole, AFileWithAProblemNamesWhatTheProblemNames) {
    const auto bound = [](const std::string& text) {
        return own_rules(capitals(), Unnamed::ignore_in_zoo, text)
            .levels[1]
            .spatial.factors[find_dimension(capitals(), "K")]
            .at_most;
    };
    EXPECT_EQ(bound(std::string(kMachine) + "problem: {shape: {}}\n"), 4);
    EXPECT_NE(bound(kMachine), 4) << "K is C";
}

TEST(ConstraintsByRole, WhatCannotBeSaidIsOneErrorWithAWayOut) {
    const Einsum two = parse_einsum("Y[m,n,j] += X[m,k] * W[k,n,j]", {{"m", 4}, {"n", 8}, {"j", 8}, {"k", 4}});
    EXPECT_THAT(mistake(two, Unnamed::ignore_in_zoo),
                testing::AllOf(HasSubstr("it bounds K, which several dimensions of"), HasSubstr("--unnamed ignore")));
}

TEST(ConstraintsByRole, RulesInOtherWordsAreNotOfLayers) {
    std::string text = kMachine;
    text.replace(text.find("keep: [Weights]"), 15, "keep: [Filters]");
    EXPECT_THAT(mistake(product("Y[m,n] += X[m,k] * W[k,n]"), Unnamed::ignore_in_zoo, text), HasSubstr("there is no"));
}

// Every proper subset of the layer names: the others are found by role, in branches too.
TEST(ConstraintsByRole, SomeNamesOfLayersAreAsGoodAsAll) {
    const Einsum all = product("Outputs[m,n] += Inputs[m,k] * Weights[k,n]");
    for (const std::string& name : zoo_architectures())
        for (const char* text : {"Outputs[m,n] += X[m,k] * Weights[k,n]", "Outputs[m,n] += Inputs[m,k] * W[k,n]",
                                 "Y[m,n] += Inputs[m,k] * Weights[k,n]", "Outputs[m,n] += X[m,k] * W[k,n]"})
            EXPECT_EQ(without_orders(rules(name, product(text))), without_orders(rules(name, all)))
                << name << " " << text;
}

TEST(ConstraintsByRole, BandwidthOfATensorIsOfItsNameOrOfTheWrittenOne) {
    std::string text = kMachine;
    text.replace(text.find("depth: 64,"), 10, "depth: 64, per_dataspace_bandwidth_consumption_scale: {Outputs: 0.5},");
    const Einsum einsum = product("Y[m,n] += X[m,k] * W[k,n]");
    const yaml::Node root = load_text(text, "own.yaml");
    const Memory buffer = read_architecture(root).memories[2];
    EXPECT_EQ(bandwidth_share(einsum.tensors[find_tensor(einsum, "Y")], buffer), 0.5);
    EXPECT_EQ(bandwidth_share(einsum.tensors[find_tensor(einsum, "X")], buffer), 1.0);
    text.replace(text.find("{Outputs: 0.5}"), 14, "{Weights: 0.5}");
    EXPECT_THAT(mistake(einsum, Unnamed::ignore_in_zoo, text), HasSubstr("(--rename OLD=Weights)"));
    EXPECT_EQ(mistake(product("Y[m,n] += X[m,k] * Weights[k,n]"), Unnamed::ignore_in_zoo, text), "");
}

// Beside two operands: memories of one operand are bypassed, memories of all keep it.
TEST(ConstraintsByRole, AThirdOperandPassesWhatIsForOthersBy) {
    const Einsum einsum = product("Y[m,n] += X[m,k] * W[k,n] * S[m]");
    const int third = find_tensor(einsum, "S");
    const Constraints own = own_rules(einsum, Unnamed::ignore_in_zoo);
    EXPECT_TRUE(own.levels[0].must_keep.has(third));
    EXPECT_TRUE(own.levels[2].must_bypass.has(third));
}

}  // namespace
}  // namespace tilewright::timeloop::constraints_by_role_test
