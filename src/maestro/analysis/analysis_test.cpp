#include "maestro/analysis/analysis.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/numbers/checked.hpp"
#include "maestro/cost/cost.hpp"
#include "maestro/walk/walk.hpp"

namespace tilewright::dataflow::analysis_test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using enum Axis;

Directive map_of(DirectiveKind kind, std::int64_t size, std::int64_t offset, Axis axis) {
    Directive map;
    map.kind = kind;
    map.size = Size::number(size);
    map.offset = Size::number(offset);
    map.axis = axis;
    return map;
}
Directive temporal(std::int64_t size, std::int64_t offset, Axis axis) {
    return map_of(DirectiveKind::temporal, size, offset, axis);
}
Directive spatial(std::int64_t size, std::int64_t offset, Axis axis) {
    return map_of(DirectiveKind::spatial, size, offset, axis);
}
Directive cluster(std::int64_t size, ClusterKind kind = ClusterKind::physical) {
    Directive made;
    made.kind = DirectiveKind::cluster;
    made.size = Size::number(size);
    made.cluster = kind;
    return made;
}

Layer conv(std::int64_t k, std::int64_t c, std::int64_t y, std::int64_t x, std::int64_t window = 3) {
    Layer layer;
    layer.extents[K] = k;
    layer.extents[C] = c;
    layer.extents[Y] = y;
    layer.extents[X] = x;
    layer.extents[R] = layer.extents[S] = window;
    return layer;
}

Hardware machine(std::int64_t units) {
    Hardware hardware;
    hardware.units = units;
    return hardware;
}

struct Ready {
    CompleteLayer problem;
    std::vector<Level> levels;
};

Ready set_up(const Layer& layer, std::vector<Directive> directives, std::int64_t units) {
    Ready setup;
    setup.problem = problem_of(layer);
    const LevelsResult made = levels_of({"", std::move(directives)}, {}, request_for(setup.problem, units));
    EXPECT_EQ(made.problem, "");
    setup.levels = made.levels;
    return setup;
}

// The row-stationary dataflow of MAESTRO, Fig. 7 (b).
std::vector<Directive> row_stationary() {
    return {temporal(1, 1, N), temporal(2, 2, K), temporal(3, 3, C), spatial(3, 1, Y), temporal(3, 1, X),
            cluster(3),        spatial(1, 1, Y),  spatial(1, 1, R),  temporal(3, 3, S)};
}

// Section 4.2.2: of Fig. 7 (d), 18 inputs are reused spatially between the two clusters.
TEST(DataflowAnalysis, Figure7ReusesEighteenInputsSpatially) {
    const Ready setup = set_up(conv(2, 3, 4, 3), row_stationary(), 6);
    const Counts counts = analyze(setup.problem, setup.levels, machine(6)).value();
    EXPECT_EQ(counts.levels[0].steps, 1);
    EXPECT_EQ(counts.levels[0].input.unicast - counts.levels[0].input.multicast, 18);
    EXPECT_THAT(findings(setup.problem, setup.levels), IsEmpty());
}

// Section 4.2.2: 18 weights of each unit stay from step 0 to step 1.
TEST(DataflowAnalysis, Figure7ReusesEighteenWeightsTemporally) {
    const Ready one = set_up(conv(2, 3, 4, 3), row_stationary(), 6);
    const Ready two = set_up(conv(2, 3, 4, 4), row_stationary(), 6);
    const Counts first = analyze(one.problem, one.levels, machine(6)).value();
    const Counts both = analyze(two.problem, two.levels, machine(6)).value();
    EXPECT_EQ(both.levels[0].steps, 2);
    EXPECT_EQ(both.levels[0].filter, first.levels[0].filter);
    EXPECT_EQ(first.levels[1].filter.unicast / 6, 18);
}

// Fig. 6 (c): Cluster(3,P) and Cluster(2,L) make two groups of three groups of two of twelve units.
TEST(DataflowAnalysis, Figure6GroupsTwelveUnits) {
    const Ready setup = set_up(
        conv(2, 3, 3, 4),
        {spatial(1, 1, K), cluster(3), spatial(1, 1, C), cluster(2, ClusterKind::logical), spatial(3, 1, X)}, 12);
    ASSERT_EQ(setup.levels.size(), 3U);
    EXPECT_EQ(setup.levels[0].clusters, 2);
    EXPECT_EQ(setup.levels[1].clusters, 3);
    EXPECT_EQ(setup.levels[2].clusters, 2);
    const Counts counts = analyze(setup.problem, setup.levels, machine(12)).value();
    EXPECT_EQ(counts.operations, 2 * 3 * 2 * 9);
    EXPECT_EQ(counts.levels[0].steps, 1);
}

// Fig. 5, a row-stationary array of a 2 x 2 window: two units share an input row, weights are stationary, and the
// partial sums of a window's two rows are reduced.
TEST(DataflowAnalysis, Figure5SharesRowsAndKeepsWeights) {
    const Ready setup = set_up(
        conv(1, 1, 3, 4, 2), {spatial(2, 1, Y), temporal(2, 1, X), cluster(2), spatial(1, 1, Y), spatial(1, 1, R)}, 4);
    const Counts counts = analyze(setup.problem, setup.levels, machine(4)).value();
    EXPECT_EQ(counts.levels[0].steps, 3);
    EXPECT_EQ(counts.levels[0].filter.multicast, 4);       // once, for all steps
    EXPECT_EQ(counts.levels[0].input.multicast, 3 * 4);    // every input once
    EXPECT_EQ(counts.levels[0].input.unicast, 2 * 2 * 4);  // the middle row goes to both clusters
    EXPECT_EQ(counts.levels[0].output_each, 6);
    EXPECT_EQ(counts.operations, 6 * 4);
}

Layer product(std::int64_t m, std::int64_t n) {
    Layer layer;
    layer.type = LayerType::gemm;
    layer.extents[M] = m;
    layer.extents[N] = n;
    layer.extents[K] = 1;
    return layer;
}

// By hand: n = 0 sends A[0] and A[1], then A[2] to unit 0; unit 1 is idle and keeps A[1], so that n = 1 sends A[0] and
// A[2] only. Every B[n] is sent once.
TEST(DataflowAnalysis, IdleSubClustersHoldWhatTheyHold) {
    const Ready setup = set_up(product(3, 2), {temporal(1, 1, N), spatial(1, 1, M)}, 2);
    const Counts walked = walk(setup.problem, setup.levels, machine(2)).counts;
    EXPECT_EQ(walked.levels[0].input.multicast, 5);
    EXPECT_EQ(walked.levels[0].input.array, 5);
    EXPECT_EQ(analyze(setup.problem, setup.levels, machine(2)).value(), walked);
}

// By hand: unit 1 has no tile in the last fold and keeps B[2], which it passes to unit 0.
TEST(DataflowAnalysis, IdleSubClustersPassOnWhatTheyHold) {
    const Ready setup = set_up(product(3, 3), {spatial(1, 1, M), temporal(1, 1, N)}, 2);
    const Counts walked = walk(setup.problem, setup.levels, machine(2)).counts;
    EXPECT_EQ(walked.levels[0].filter.multicast, 6);
    EXPECT_EQ(walked.levels[0].filter.array, 5);
    EXPECT_EQ(analyze(setup.problem, setup.levels, machine(2)).value(), walked);
}

// One output per step: 4 bytes of sums leave in 4 cycles, 2 operands arrive in 2, an operation takes 1. The first step
// waits for its operands, nothing for its results.
TEST(DataflowAnalysis, TheFirstStepDoesNotWaitForItsResults) {
    Hardware hardware = machine(1);
    hardware.noc_bytes_per_cycle = 1;
    hardware.noc_latency_cycles = 1;
    hardware.sum_bytes = 4;
    const auto cycles = [&](std::int64_t m) {
        const Ready setup = set_up(product(m, 1), {spatial(1, 1, M)}, 1);
        return analyze(setup.problem, setup.levels, hardware)->runtime_cycles;
    };
    EXPECT_EQ(cycles(1), 2 + 1);
    EXPECT_EQ(cycles(3), 2 + 1 + 2 * 4);
}

TEST(DataflowAnalysis, LanesAreFedAtOnce) {
    const auto with = [](ClusterKind kind) {
        const Ready setup = set_up(
            conv(4, 4, 4, 4), {spatial(1, 1, K), cluster(2), temporal(1, 1, Y), cluster(2, kind), spatial(1, 1, C)}, 4);
        Hardware hardware = machine(4);
        hardware.noc_bytes_per_cycle = 1;
        return analyze(setup.problem, setup.levels, hardware);
    };
    ASSERT_TRUE(with(ClusterKind::logical) && with(ClusterKind::physical));
    EXPECT_LT(with(ClusterKind::logical)->runtime_cycles, with(ClusterKind::physical)->runtime_cycles);
}

TEST(DataflowAnalysis, WithoutMulticastNeighboursForward) {
    const Ready setup = set_up(conv(4, 2, 6, 6), {temporal(1, 1, C), spatial(1, 1, K), temporal(3, 1, Y)}, 4);
    Hardware hardware = machine(4);
    const std::int64_t with = analyze(setup.problem, setup.levels, hardware)->runtime_cycles;
    hardware.multicast = false;
    EXPECT_GT(analyze(setup.problem, setup.levels, hardware)->runtime_cycles, with);
    EXPECT_EQ(analyze(setup.problem, setup.levels, hardware)->runtime_cycles,
              walk(setup.problem, setup.levels, hardware).counts.runtime_cycles);
}

TEST(DataflowAnalysis, ZerosSaveTimeAndTraffic) {
    Layer layer = conv(4, 4, 6, 6);
    const Ready dense_one = set_up(layer, {spatial(1, 1, K), temporal(3, 1, Y)}, 4);
    layer.density.input.density = 0.25;
    const Ready sparse = set_up(layer, {spatial(1, 1, K), temporal(3, 1, Y)}, 4);
    EXPECT_LT(analyze(sparse.problem, sparse.levels, machine(4))->runtime_cycles,
              analyze(dense_one.problem, dense_one.levels, machine(4))->runtime_cycles);
}

// Non-zero shares: half of the inputs, a quarter of the weights, three quarters of the results. Words, operations and
// accesses follow; buffers stay.
TEST(DataflowCost, CountsWhatIsNotZero) {
    Layer layer = conv(4, 4, 6, 6);
    const Dataflow rows{"", {spatial(1, 1, K), temporal(3, 1, Y)}};
    const LayerCost whole = cost_of(layer, rows, {}, machine(4));
    layer.density = {{0.5}, {0.25}, {0.75}};
    const LayerCost part = cost_of(layer, rows, {}, machine(4));
    ASSERT_TRUE(whole.counts && part.counts);
    EXPECT_EQ(whole.counts->operations, 4 * 4 * 4 * 4 * 9);
    EXPECT_EQ(part.counts->operations, whole.counts->operations / 8);
    EXPECT_EQ(part.operations, whole.operations / 8);
    const LevelCounts& all = whole.counts->levels[0];
    const LevelCounts& some = part.counts->levels[0];
    EXPECT_EQ(all.input.multicast, 4 * 6 * 6);
    EXPECT_EQ(some.input.multicast, all.input.multicast / 2);
    EXPECT_EQ(some.input.unicast, all.input.unicast / 2);
    EXPECT_EQ(some.input.array, all.input.array / 2);
    EXPECT_EQ(some.filter.multicast, all.filter.multicast / 4);
    EXPECT_EQ(some.output_change, all.output_change * 3 / 4);
    EXPECT_EQ(some.steps, all.steps);
    EXPECT_EQ(part.l1_bytes, whole.l1_bytes);
    EXPECT_EQ(part.l2_bytes, whole.l2_bytes);
    EXPECT_DOUBLE_EQ(part.accesses.dram_reads.operands, 4 * 36 / 2 + 4 * 4 * 9 / 4);
    EXPECT_DOUBLE_EQ(part.accesses.dram_writes.sums, 4 * 16 * 3 / 4);
    const double l1 = 4.0 * 288 + 4 * 72 + 36;  // an operation's four accesses; arrivals: inputs at each unit, weights
    const double l2 = 72 + 36 + 48 + (72 + 36) + 48;
    EXPECT_DOUBLE_EQ(part.energy_operations, 288 + 1.68 * l1 + 18.61 * l2);
    EXPECT_DOUBLE_EQ(part.utilization, 288.0 / (4.0 * static_cast<double>(part.counts->runtime_cycles)));
    EXPECT_LE(part.utilization, 1.0);
}

TEST(DataflowAnalysis, SaysWhatItDoesNotCover) {
    const Ready setup = set_up(conv(1, 1, 5, 5), {temporal(1, 1, Y), temporal(1, 1, R)}, 1);
    EXPECT_FALSE(analyze(setup.problem, setup.levels, machine(1)));
    EXPECT_THAT(not_covered(setup.problem, setup.levels, machine(1)), HasSubstr("filter moves"));
    EXPECT_EQ(walk(setup.problem, setup.levels, machine(1)).distinct_operations, 81);
}

// Beyond the closed forms a walk answers and says so; closed forms alone give nothing.
TEST(DataflowCost, SaysWhoCounted) {
    const Layer layer = conv(1, 1, 5, 5);
    const Dataflow covered{"", {temporal(1, 1, Y)}};
    const Dataflow filter_moves{"", {temporal(1, 1, Y), temporal(1, 1, R)}};
    EXPECT_EQ(cost_of(layer, covered, {}, machine(1)).counted_by, CountedBy::closed_forms);
    const LayerCost walked = cost_of(layer, filter_moves, {}, machine(1));
    ASSERT_TRUE(walked.counts);
    EXPECT_EQ(walked.counted_by, CountedBy::every_step);
    EXPECT_FALSE(cost_of(layer, filter_moves, {}, machine(1), {}, Beyond::refuse).counts);
}

TEST(DataflowAnalysis, RefusesWhatDoesNotFit) {
    const std::int64_t huge = 2147483647;
    const Ready setup = set_up(conv(huge, huge, huge, 3), {temporal(1, 1, K)}, 1);
    EXPECT_THROW(analyze(setup.problem, setup.levels, machine(1)), OverflowError);
}

TEST(DataflowPlan, FollowsItsKnobs) {
    const Layer layer = conv(8, 8, 10, 10);
    const std::vector<Directive> coarse{temporal(4, 4, C), spatial(2, 2, K), cluster(2), spatial(2, 2, C)};
    const std::vector<Directive> fine{temporal(2, 2, C), spatial(1, 1, K), cluster(4), spatial(1, 1, C)};
    const Ready from = set_up(layer, coarse, 8);
    const Ready to = set_up(layer, fine, 8);
    Plan plan(from.problem, from.levels);
    plan.set_map(0, 0, 2, 2);
    plan.set_map(0, 1, 1, 1);
    plan.set_clusters(0, 2);
    plan.set_clusters(1, 4);
    for (std::size_t i = 0; i < to.levels[1].maps.size(); ++i)
        if (to.levels[1].maps[i].axis == C) plan.set_map(1, i, 1, 1);
    EXPECT_EQ(plan.levels(), to.levels);
    const Estimate estimate = plan.evaluate(machine(8)).value();
    const Counts counts = analyze(to.problem, to.levels, machine(8)).value();
    EXPECT_EQ(estimate.runtime_cycles, counts.runtime_cycles);
    EXPECT_EQ(estimate.input_words, counts.levels[0].input.multicast);
}

std::string first_finding(const Layer& layer, std::vector<Directive> directives, std::int64_t units) {
    const Ready setup = set_up(layer, std::move(directives), units);
    const std::vector<Finding> found = findings(setup.problem, setup.levels);
    return found.empty() ? "" : std::string(name_of(found[0].condition)) + ": " + found[0].text;
}

// The examples of MAESTRO, section 3.3, and the contradicting ones of Table 2.
TEST(DataflowLegality, NamesTheConditionThatADirectiveBreaks) {
    EXPECT_THAT(first_finding(conv(4, 3, 8, 8), {temporal(5, 5, K)}, 1),
                HasSubstr("bound: TemporalMap(5,5) K: maps 5"));
    EXPECT_THAT(first_finding(conv(8, 3, 8, 8), {temporal(2, 4, K)}, 1),
                HasSubstr("coverage: TemporalMap(2,4) K: skips"));
    EXPECT_THAT(first_finding(conv(4, 3, 8, 8), {temporal(2, 1, C)}, 1), HasSubstr("redundancy: TemporalMap(2,1) C"));
    EXPECT_THAT(first_finding(conv(4, 3, 8, 8), {temporal(3, 3, Y)}, 1),
                HasSubstr("coverage: TemporalMap(3,3) Y: skips elements of Y'"));
    EXPECT_THAT(first_finding(conv(4, 3, 8, 8), {temporal(1, 1, Y)}, 1),
                HasSubstr("coverage: TemporalMap(1,1) Y: makes no output"));
    EXPECT_THAT(first_finding(conv(4, 3, 8, 8), {temporal(1, 1, K)}, 4), HasSubstr("redundancy: no SpatialMap: all 4"));
    EXPECT_EQ(first_finding(conv(4, 3, 8, 8), {temporal(1, 1, out_y), spatial(1, 1, K)}, 4), "");
}

TEST(DataflowLegality, AStrideMayLeaveRowsOut) {
    Layer layer = conv(4, 3, 8, 8);
    layer.stride[Y] = layer.stride[X] = 2;
    EXPECT_EQ(first_finding(layer, {temporal(3, 1, Y), spatial(3, 1, X)}, 3), "");
}

}  // namespace
}  // namespace tilewright::dataflow::analysis_test
