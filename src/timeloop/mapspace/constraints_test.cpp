// The constraint reader; machines in architecture_test.cpp.
#include <gtest/gtest.h>

#include "timeloop/files/load.hpp"
#include "timeloop/machine/architecture.hpp"

namespace tilewright::timeloop::constraints_test {
namespace {

// Z[m,n] += A[m,k] * B[k,n], and a batch dimension of extent 1
Einsum product() {
    return {"product",
            {{"M", 12}, {"N", 8}, {"K", 6}, {"T", 1}},
            {{"A", {Rank{{{0, 1}}}, Rank{{{2, 1}}}}, false},
             {"B", {Rank{{{2, 1}}}, Rank{{{1, 1}}}}, false},
             {"Z", {Rank{{{0, 1}}}, Rank{{{1, 1}}}, Rank{{{3, 1}}}}, true}}};
}

constexpr int kM = 0, kN = 1, kK = 2, kT = 3;
constexpr unsigned kA = 1, kB = 2, kZ = 4, kAll = 7;

// DRAM -> buffer -> 4 x 4 registers
const std::string kFlat = R"(arch:
  arithmetic: {instances: 16, meshX: 4}
  storage:
  - {name: registers, instances: 16, meshX: 4, entries: 4}
  - {name: buffer, instances: 1, entries: 64}
  - {name: DRAM, technology: DRAM, instances: 1}
)";

Constraints constraints_in(const std::string& text) {
    const yaml::Node root = load_text(text, "in.yaml");
    return read_constraints(root, read_architecture(root), product());
}

LevelConstraint level_in(const std::string& constraint, int level = 1) {
    return constraints_in(kFlat + "mapspace: {constraints: [" + constraint + "]}\n").levels.at(level);
}

std::string mistake_in(const std::string& text) {
    try {
        (void)constraints_in(text);
    } catch (const InputError& error) {
        return std::string(error_code_name(error.code())) + ": " + error.message();
    }
    return "no mistake";
}

FactorConstraint exactly(std::int64_t value) { return {value, 1, std::nullopt}; }
FactorConstraint at_most(std::int64_t value) { return {std::nullopt, 1, value}; }
FactorConstraint at_least(std::int64_t value) { return {std::nullopt, value, std::nullopt}; }
const FactorConstraint kFree;

TEST(Constraints, ReadsEverySpellingOfFactors) {
    const std::vector<FactorConstraint> expected{exactly(4), at_most(2), at_least(3), kFree};
    for (const std::string factors : {"M=4 N<=2 K>=3", "'M=4,N<=2,K>=3'", "M4 N <= 2 K >= 3", "[M=4, N<=2, K>=3]",
                                      "[M 4, 'N<3', K>2]", "M = 4 N<3 K>2"})
        EXPECT_EQ(level_in("{target: buffer, type: temporal, factors: " + factors + "}").temporal.factors, expected)
            << factors;
}

TEST(Constraints, ResolvesZeroAndCutsAtTheExtent) {
    const LoopConstraint loops = level_in("{target: buffer, type: temporal, factors: M0 N=64}").temporal;
    EXPECT_EQ(loops.factors, (std::vector<FactorConstraint>{exactly(12), exactly(8), kFree, kFree}));
}

// The product has N and K, so C and R are merely absent; X is unknown, and with `refuse` so is C.
TEST(Constraints, UsualNamesThatALayerLacksAreNoMistake) {
    const LoopConstraint loops =
        level_in("{target: buffer, type: temporal, factors: C=1 M=4 R=1, permutation: RSM}").temporal;
    EXPECT_EQ(loops.factors, (std::vector<FactorConstraint>{exactly(4), kFree, kFree, kFree}));
    EXPECT_EQ(loops.inner, (std::vector<int>{kM}));
    const std::string text = kFlat + "mapspace: {constraints: [{target: buffer, type: temporal, factors: C=1}]}\n";
    const yaml::Node root = load_text(text, "in.yaml");
    VoidNamesByFile found;
    read_constraints(root, read_architecture(root), product(), Unnamed::ignore_in_zoo, &found);
    EXPECT_EQ(found["in.yaml"].dimensions, std::set<std::string>{"C"});
    EXPECT_THROW(read_constraints(root, read_architecture(root), product(), Unnamed::refuse), InputError);
}

TEST(Constraints, ReadsPermutationsInnermostFirst) {
    EXPECT_EQ(level_in("{target: buffer, type: temporal, permutation: KM}").temporal.inner, (std::vector<int>{kK, kM}));
    EXPECT_EQ(level_in("{target: buffer, type: temporal, permutation: K MN}").temporal.inner,
              (std::vector<int>{kK, kM, kN}));
    EXPECT_EQ(level_in("{target: buffer, type: temporal, permutation: [K, M]}").temporal.inner,
              (std::vector<int>{kK, kM}));
    const LoopConstraint both = level_in("{target: buffer, type: temporal, permutation: K*MN}").temporal;
    EXPECT_EQ(both.inner, std::vector<int>{kK});
    EXPECT_EQ(both.outer, (std::vector<int>{kM, kN}));
}

TEST(Constraints, ReadsSpatialOnes) {
    const LoopConstraint loops =
        level_in("{target: buffer, type: spatial, factors: T1, permutation: MN, split: 1, remainders: 4}").spatial;
    EXPECT_EQ(loops.split, 1);
    EXPECT_EQ(loops.remainders, 4);
    EXPECT_EQ(level_in("{target: buffer, type: spatial, split: 999}").spatial.split, 4) << "everything on X";
}

TEST(Constraints, ReadsKeepAndBypass) {
    const LevelConstraint level = level_in("{target: buffer, type: datatype, keep: [A, Z], bypass: [B]}");
    EXPECT_EQ(level.must_keep.bits(), kA | kZ);
    EXPECT_EQ(level.must_bypass.bits(), kB);
    EXPECT_EQ(level_in("{target: buffer, type: bypass, keep: [A]}").must_bypass.bits(), 0U) << "the others are free";
    EXPECT_EQ(level_in("{target: buffer, type: dataspace, keep_only: [A]}").must_bypass.bits(), kB | kZ);
    EXPECT_EQ(level_in("{target: buffer, type: dataspace, bypass_only: [A]}").must_keep.bits(), kB | kZ);
    EXPECT_EQ(level_in("{target: buffer, type: dataspace, keep: ['*']}").must_keep.bits(), kAll);
}

TEST(Constraints, KeepEverythingOutside) {
    EXPECT_EQ(constraints_in(kFlat).levels.at(0).must_keep.bits(), kAll);
    EXPECT_THROW(level_in("{target: DRAM, type: datatype, bypass: [Z]}", 0), InputError) << "nowhere to begin or end";
    EXPECT_EQ(constraints_in(kFlat).levels.at(1), LevelConstraint{});
}

TEST(Constraints, FoldsMacrosIntoFactors) {
    const auto factors = [](const std::string& macro) {
        return level_in("{target: buffer, type: temporal, " + macro + "}").temporal.factors;
    };
    EXPECT_EQ(factors("factors_only: [M=4]"),
              (std::vector<FactorConstraint>{exactly(4), exactly(1), exactly(1), exactly(1)}));
    EXPECT_EQ(factors("no_iteration_over_dataspaces: [A]"),
              (std::vector<FactorConstraint>{exactly(1), kFree, exactly(1), kFree}));
    EXPECT_EQ(factors("must_iterate_over_dataspaces: [A]"),
              (std::vector<FactorConstraint>{kFree, exactly(1), kFree, exactly(1)}));
    EXPECT_EQ(factors("factors: M=4, default_max_factor: 3"),
              (std::vector<FactorConstraint>{exactly(4), at_most(3), at_most(3), at_most(3)}));
    EXPECT_EQ(factors("maximize_dims: [M, N], maximize_dims_capacity: 9"),
              (std::vector<FactorConstraint>{exactly(4), exactly(2), kFree, kFree}))
        << "8 of 9; of the ways to get there the one with the earlier dimension first";
}

TEST(Constraints, ReadsEveryPlaceOfASection) {
    const std::string one = "{target: buffer, type: temporal, factors: M2}";
    const std::vector<std::string> places{
        "mapspace: [" + one + "]",
        "mapspace: {constraints: [" + one + "]}",
        "mapspace: {targets: [" + one + "], template: ruby, version: 0.3}",
        "mapspace: {constraints_mine: [" + one + "], constraints: mine}",
        "mapspace_constraints: {targets: [" + one + "]}",
        "extra_mapping_constraints: {version: 0.4, targets: [" + one + "]}",
        "architecture_constraints: {targets: [" + one + "]}",
        "constraints: {version: 0.4, targets: [" + one + "]}",
        "mapspace: {targets: [{name: buffer, constraints: [{type: temporal, attributes: {factors: M2}}]}]}"};
    for (const std::string& place : places)
        EXPECT_EQ(constraints_in(kFlat + place + "\n").levels.at(1).temporal.factors.at(kM), exactly(2)) << place;
    EXPECT_TRUE(
        constraints_in(kFlat + "mapspace: {constraints_mine: [" + one + "]}\n").levels.at(1).temporal.factors.empty())
        << "a list that is named nowhere";
}

TEST(Constraints, NarrowEachOther) {
    const Constraints both = constraints_in(kFlat + R"(
architecture_constraints: {targets: [{target: buffer, type: temporal, factors: M<=6, permutation: KM}]}
mapspace: {constraints: [{target: buffer, type: temporal, factors: M<=4 K1, permutation: KM},
                         {target: registers, type: utilization, min: 0.5}]}
)");
    EXPECT_EQ(both.levels.at(1).temporal.factors,
              (std::vector<FactorConstraint>{at_most(4), kFree, exactly(1), kFree}));
    EXPECT_EQ(both.min_parallelism, 0.5);
}

const std::string kHierarchy = R"(architecture:
  version: 0.4
  nodes:
  - !Component
    name: DRAM
    class: DRAM
    attributes: {width: 64, datawidth: 8}
  - !Container
    name: row
    spatial: {meshX: 4, meshY: 2}
    constraints: {spatial: {factors: [K=1], permutation: [M, N], split: 1}}
  - !Parallel
    nodes:
    - !Component
      name: a
      class: regfile
      attributes: {depth: 4, width: 8, datawidth: 8}
      constraints: {dataspace: {keep: [A]}, temporal: {factors: [N=1], permutation: [K, M]}}
    - !Component
      name: z
      class: regfile
      attributes: {depth: 4, width: 8, datawidth: 8}
      constraints: {dataspace: {keep: [Z]}}
    - !Nothing {constraints: {dataspace: {keep: [B]}}}
  - !Component {name: mac, class: intmac}
)";

// With T (extent 1) in front, M and N would both lie along Y, of size 2; the file lists M first.
TEST(HierarchyConstraints, SplitCountsAsTheFileListsWhereNothingElseFits) {
    const std::string text = R"(architecture:
  version: 0.4
  nodes:
  - !Component
    name: DRAM
    class: DRAM
    attributes: {width: 64, datawidth: 8}
    constraints: {temporal: {factors: [M=1, N=1]}}
  - !Container
    name: row
    spatial: {meshX: 64, meshY: 64}
    constraints: {spatial: {factors: [K=1], permutation: [M, N], split: 1}}
  - !Component
    name: registers
    class: regfile
    attributes: {depth: 4, width: 8, datawidth: 8}
    constraints: {temporal: {factors: [M=1, N=1]}}
  - !Component {name: mac, class: intmac}
)";
    EXPECT_EQ(constraints_in(text).levels.at(1).spatial.split, 3) << "K and T stand in front";
    std::string wide = text;
    wide.replace(wide.find("meshY: 64"), 9, "meshY: 4096");
    EXPECT_EQ(constraints_in(wide).levels.at(1).spatial.split, 1)
        << "as the front end leaves it: there is room along Y";
}

TEST(HierarchyConstraints, PlaceUnitFactorsInside) {
    const Constraints constraints = constraints_in(kHierarchy);
    const LevelConstraint& spreader = constraints.levels.at(1);
    EXPECT_EQ(spreader.spatial.inner, (std::vector<int>{kT, kK, kM, kN})) << "K is 1 here, T everywhere";
    EXPECT_EQ(spreader.spatial.split, 1) << "as the front end leaves it";
    EXPECT_EQ(spreader.temporal.inner, (std::vector<int>{kM, kN, kK, kT}));
    EXPECT_EQ(spreader.temporal.factors, std::vector<FactorConstraint>(4, exactly(1)));
    EXPECT_EQ(spreader.must_bypass.bits(), kAll);
    EXPECT_EQ(constraints.levels.at(2).temporal.inner, (std::vector<int>{kT, kN, kK, kM}));
}

TEST(HierarchyConstraints, GiveEachTensorOfAGroupItsBranch) {
    const Constraints constraints = constraints_in(kHierarchy);
    EXPECT_EQ(constraints.levels.at(2).must_keep.bits(), kA);
    EXPECT_EQ(constraints.levels.at(2).must_bypass.bits(), kB | kZ);
    EXPECT_EQ(constraints.levels.at(3).must_keep.bits(), kZ);
    EXPECT_EQ(constraints.levels.at(3).must_bypass.bits(), kA | kB);
}

TEST(HierarchyConstraints, MaximizeFillsTheFanout) {
    std::string text = kHierarchy;
    text.replace(text.find("factors: [K=1]"), 14, "maximize_dims: [[M, K]]");
    const std::vector<FactorConstraint> factors = constraints_in(text).levels.at(1).spatial.factors;
    EXPECT_EQ(factors.at(kM).exactly.value() * factors.at(kK).exactly.value(), 8) << "of 12 and 6, all eight";
    EXPECT_EQ(factors.at(kM), exactly(4));
    EXPECT_EQ(factors.at(kK), exactly(2));
}

TEST(HierarchyConstraints, TargetsMayNameTheContainer) {
    const Constraints constraints =
        constraints_in(kHierarchy + "constraints: {targets: [{target: row, type: spatial, factors: [N=2]}]}\n");
    EXPECT_EQ(constraints.levels.at(1).spatial.factors.at(kN), exactly(2));
}

TEST(Constraints, SaysWhatIsWrong) {
    const auto one = [](const std::string& constraint) {
        return kFlat + "mapspace: {constraints: [" + constraint + "]}\n";
    };
    const auto changed = [](const std::string& from, const std::string& to) {
        std::string text = kHierarchy;
        return text.replace(text.find(from), from.size(), to);
    };
    const std::string contradiction =
        "{target: buffer, type: temporal, factors: M2}, {target: buffer, type: temporal, factors: ";
    const std::vector<std::pair<std::string, std::string>> cases{
        {one("{target: bufer, type: temporal}"),
         "unknown-level: there is no memory 'bufer'; did you mean 'buffer'?; the architecture has DRAM, buffer and "
         "registers"},
        {one("{type: temporal}"), "missing-key: the key 'name' is missing"},
        {one("{target: buffer}"), "missing-key: the key 'type' is missing"},
        {one("{target: buffer, type: temporary}"),
         "unknown-name: unknown type 'temporary'; did you mean 'temporal'?; expected one of temporal, spatial, "
         "dataspace, datatype, "
         "bypass, utilization and parallelism"},
        {one("{target: buffer, type: no_link_transfer}"),
         "unsupported: constraints of type 'no_link_transfer' are not supported; a mapping can say it"},
        {one("{target: buffer, type: temporal, factor: M2}"),
         "unknown-key: unknown key 'factor'; did you mean 'factors'?"},
        {one("{target: buffer, type: temporal, split: 2}"), "unknown-key: unknown key 'split'"},
        {one("{target: buffer, type: temporal, factors: X2}"),
         "unknown-name: there is no dimension 'X'; the problem has M, N, K and T"},
        {one("{target: buffer, type: temporal, factors: M}"),
         "bad-value: expected factors like 'C=4', 'C<=4' or 'C4', found 'M'"},
        {one("{target: buffer, type: temporal, factors: 'M=>2'}"),
         "bad-value: expected factors like 'C=4', 'C<=4' or 'C4', found 'M=>2'"},
        {one("{target: buffer, type: temporal, factors: M<=0}"),
         "bad-value: a bound of a factor has to be at least 1: 'M<=0'"},
        {one("{target: buffer, type: temporal, factors: M99999999999999999999}"),
         "overflow: a factor does not fit in 64 bits"},
        {one("{target: buffer, type: temporal, factors: M2 M3}"),
         "bad-value: the factors of 'M' contradict each other"},
        {one(contradiction + "M3}"), "bad-value: the factors of 'M' contradict each other"},
        {one(contradiction + "M>=3}"), "bad-value: the factors of 'M' contradict each other"},
        {one("{target: buffer, type: temporal, permutation: MM}"),
         "duplicate-key: dimension 'M' appears twice in the permutation"},
        {one("{target: buffer, type: temporal, permutation: MK}, {target: buffer, type: temporal, permutation: KM}"),
         "bad-value: this level already has another permutation"},
        {one("{target: buffer, type: spatial, split: 1}, {target: buffer, type: spatial, split: 2}"),
         "bad-value: 'split' is already 1 for this level"},
        {one("{target: DRAM, type: spatial}"), "no-fanout: there is nothing to spread over below 'DRAM'"},
        {one("{target: buffer, type: datatype, keep: [Y]}"),
         "unknown-tensor: there is no tensor 'Y'; the problem has A, B and Z"},
        {one("{target: buffer, type: datatype, keep: [A], bypass: [A]}"),
         "bad-value: 'buffer' has to keep and to bypass the tensor 'A'"},
        {one("{target: buffer, type: datatype, stream: [A]}"),
         "unsupported: tensors to stream are not supported inside the outermost memory"},
        {one("{target: buffer, type: datatype, no_coalesce: [A]}"),
         "unsupported: 'no_coalesce' is not supported in a constraint; a mapping can say it"},
        {one("{target: buffer, type: temporal, no_reuse: [A]}"),
         "unsupported: 'no_reuse' is not supported in a constraint; a mapping can say it"},
        {one("{target: buffer, type: temporal, maximize_dims: [M]}"),
         "missing-key: 'maximize_dims' of temporal loops needs 'maximize_dims_capacity'"},
        {one("{target: buffer, type: utilization, min: 0.5}"),
         "unsupported: parallelism can only be constrained at the innermost memory, 'registers'"},
        {one("{target: buffer, type: max_overbooked_proportion, proportion: 0.1}"),
         "unsupported: overbooked buffers are not supported"},
        {one("{target: registers, type: utilization, min: 2}"), "bad-value: expected a share from 0 to 1, found 2"},
        {kFlat + "mapspace: {constraint: []}\n", "unknown-key: unknown key 'constraint'; did you mean 'constraints'?"},
        {kFlat + "mapspace: {constraints: mine}\n", "missing-key: the key 'constraints_mine' is missing"},
        {changed("keep: [Z]", "keep: [A]"), "bad-value: the tensor 'A' is kept in two branches of a !Parallel group"},
        {changed("keep: [B]", "keep: []"),
         "bad-value: no branch of the !Parallel group keeps the tensor 'B'; add a '!Nothing' that does if it passes "
         "by"},
        {one("{target: buffer, type: temporal, permutation: M*M}"), "bad-value: the permutation names 'M' twice"},
        {changed("{spatial: {factors: [K=1], permutation: [M, N], split: 1}}", "{temporal: {factors: [K=1]}}"),
         "unsupported: a 'temporal' constraint has no effect here: it belongs to a memory"},
        {changed("    spatial: {meshX: 4, meshY: 2}\n", ""),
         "no-fanout: a spatial constraint where nothing spreads (give 'spatial: {meshX: .., meshY: ..}')"},
        {kHierarchy + "constraints: {targets: [{target: inter_row_spatial, type: dataspace, keep: [A]}]}\n",
         "bad-value: 'inter_row_spatial' has no storage, so it cannot keep the tensor 'A'"},
        {kHierarchy + "constraints: {targets: [{target: a, type: dataspace, bypass: [A]}]}\n",
         "bad-value: 'a' has to keep and to bypass the tensor 'A'"},
    };
    for (const auto& [text, message] : cases) EXPECT_EQ(mistake_in(text), message) << text;
}

}  // namespace
}  // namespace tilewright::timeloop::constraints_test
