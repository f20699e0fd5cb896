// The static baseline: meaning of its loops, completeness of its search.
#include "schedule/schedulers/static_order.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "fixtures/schedule_problem.hpp"
#include "schedule/problem/bounds.hpp"
#include "schedule/schedulers/regions.hpp"
#include "schedule/validation/validate.hpp"

namespace tilewright::schedule::static_order_test {
namespace {

// Flexer, Fig. 3: four output channel tiles, two input channel tiles, two cores.
Problem figure_3() {
    Problem problem;
    problem.machine = {"two cores", 2, 1 << 20, 1, 32, {1, 1, 1, 1}, {32, 32, 0}};
    problem.layer = {16, 16, 64, 128, 3, 3, 1, 1, 1, 1};
    problem.tiling = {{16, 8, 32, 32}};
    return problem;
}

std::string operands(const OperationGraph& graph, int id) {
    const Operation& one = graph.operation(id);
    return "OT" + std::to_string(graph.tile(one.tiles[2]).index + 1) + " IN" +
           std::to_string(graph.tile(one.tiles[0]).index + 1) + " WT" +
           std::to_string(graph.tile(one.tiles[1]).index + 1);
}

TEST(StaticOrder, RunsTheSetsOfFigure3c) {
    const OperationGraph graph = make_graph(figure_3());
    StaticPlan plan{graph.problem.tiling, {Dim::out_w, Dim::out_h, Dim::in_c, Dim::out_c}, 2, Dim::out_c, {2, 8, 8}};
    std::vector<std::string> seen;
    for (const std::vector<int>& set : static_sets(graph, plan))
        for (const int id : set) seen.push_back(operands(graph, id));
    const std::vector<std::string> figure{"OT1 IN1 WT1", "OT2 IN1 WT2", "OT3 IN1 WT3", "OT4 IN1 WT4", "OT1 IN2 WT5",
                                          "OT2 IN2 WT6", "OT3 IN2 WT7", "OT4 IN2 WT8", "OT5 IN3 WT1"};
    ASSERT_EQ(seen.size(), 16U);
    seen.resize(figure.size());
    EXPECT_EQ(seen, figure);
}

TEST(StaticOrder, SpreadsAnOuterLoop) {
    const OperationGraph graph = make_graph(figure_3());
    const StaticPlan plan{
        graph.problem.tiling, {Dim::out_w, Dim::out_h, Dim::out_c, Dim::in_c}, 2, Dim::out_c, {2, 8, 8}};
    const std::vector<std::vector<int>> sets = static_sets(graph, plan);
    ASSERT_EQ(sets.size(), 8U);
    EXPECT_EQ(operands(graph, sets[0][0]), "OT1 IN1 WT1");
    EXPECT_EQ(operands(graph, sets[0][1]), "OT2 IN1 WT2");
    EXPECT_EQ(operands(graph, sets[1][0]), "OT1 IN2 WT5");  // the chain goes on
}

TEST(StaticOrder, KeepsWhatTheRegionsHold) {
    const OperationGraph graph = make_graph(figure_3());
    StaticPlan plan{graph.problem.tiling, {Dim::out_w, Dim::out_h, Dim::in_c, Dim::out_c}, 2, Dim::out_c, {1, 8, 4}};
    const Schedule held = run_static(graph, plan, LatencyRule::sum);
    EXPECT_EQ(held.traffic_bytes, bounds_of(graph.problem, LatencyRule::sum).distinct_bytes);
    plan.slots = {1, 2, 2};  // weights come once more, partial sums leave and come back
    const Schedule less = run_static(graph, plan, LatencyRule::sum);
    const std::int64_t weights = 3 * 3 * 64 * 128;
    const std::int64_t sums = 16 * 16 * 128;
    EXPECT_EQ(less.traffic_bytes, held.traffic_bytes + weights + 2 * sums);
    EXPECT_LE(least_static_traffic(graph, plan), less.traffic_bytes);
}

TEST(StaticOrder, EveryPlanIsALegalSchedule) {
    Random random(1);
    int checked = 0;
    for (int i = 0; i < 300; ++i) {
        const OperationGraph graph = make_graph(random_problem(random, 60));
        for (const LatencyRule rule : {LatencyRule::sum, LatencyRule::overlap}) {
            const Bounds bounds = bounds_of(graph.problem, rule);
            const std::vector<StaticPlan> plans = static_plans(graph, rule, {Spread::any});
            for (std::size_t p = 0; p < plans.size(); p += 1 + plans.size() / 8) {
                const Schedule schedule = run_static(graph, plans[p], rule);
                const std::vector<Finding> findings = validate(graph.problem, schedule);
                ASSERT_TRUE(findings.empty())
                    << i << ": " << to_text(plans[p]) << ": " << findings[0].place << ": " << findings[0].message;
                ASSERT_LE(least_static_traffic(graph, plans[p]), schedule.traffic_bytes)
                    << i << ": " << to_text(plans[p]) << " of " << testing::PrintToString(graph.counts.value);
                ASSERT_LE(bounds.traffic_bytes, schedule.traffic_bytes) << i;
                ASSERT_LE(bounds.latency_cycles, schedule.latency_cycles) << i;
                ++checked;
            }
        }
    }
    EXPECT_GT(checked, 2000);
}

// A cutoff abandons only worse schedules, and leaves the others unchanged.
TEST(StaticOrder, ACutoffGivesUpOnlyWhatIsWorse) {
    Random random(4);
    int kept = 0;
    int given_up = 0;
    for (int i = 0; i < 300; ++i) {
        const OperationGraph graph = make_graph(random_problem(random, 60));
        for (const LatencyRule rule : {LatencyRule::sum, LatencyRule::overlap})
            for (const Replacement replacement : {Replacement::oldest, Replacement::farthest, Replacement::patient}) {
                const std::vector<StaticPlan> plans = static_plans(graph, rule, {Spread::any});
                if (plans.empty()) continue;
                const StaticPlan& plan = plans[random.below(plans.size())];
                const auto sets = static_sets(graph, plan);
                const Schedule whole = run_in_regions(graph, sets, plan.slots, rule, replacement);
                const double value = score_of({}, whole).value;
                for (const double limit : {value, value * 0.999, value * 0.9, value * 0.5}) {
                    const auto cut = run_in_regions(graph, sets, plan.slots, rule, replacement, Cutoff{{}, limit, 0});
                    if (cut) {
                        ASSERT_EQ(*cut, whole) << i;
                    } else {
                        ASSERT_LT(limit, value) << i;
                    }
                    ++(cut ? kept : given_up);
                }
            }
    }
    EXPECT_GT(kept, 1000);
    EXPECT_GT(given_up, 1000);
}

Score best_of_regions(const OperationGraph& graph, StaticPlan plan, LatencyRule rule, const Objective& objective) {
    Score best{1e300, 0, 0};
    std::array<std::int64_t, 3> least{};
    std::array<std::int64_t, 3> bytes{};
    for (std::size_t i = 0; i < 3; ++i) {
        least[i] = tiles_per_set(graph, plan, static_cast<Operand>(i));
        bytes[i] = largest_block(graph.problem, static_cast<Operand>(i));
    }
    const std::int64_t memory = graph.problem.machine.scratchpad_bytes;
    for (std::int64_t a = least[0]; a <= graph.first[1]; ++a)
        for (std::int64_t b = least[1]; b <= graph.first[2] - graph.first[1]; ++b)
            for (std::int64_t c = least[2]; c <= graph.first[3] - graph.first[2]; ++c) {
                if (a * bytes[0] + b * bytes[1] + c * bytes[2] > memory) break;
                plan.slots = {a, b, c};
                best = std::min(best, score_of(objective, run_static(graph, plan, rule)));
            }
    return best;
}

// Every loop order, spread loop and number of slots, without bounds and without reasoning on region sizes.
Score best_of_everything(const Problem& problem, LatencyRule rule, const Objective& objective) {
    Score best{1e300, 0, 0};
    const OperationGraph graph = make_graph(problem);
    std::array<Dim, kDims> order{Dim::out_w, Dim::out_h, Dim::in_c, Dim::out_c};
    do {
        for (const Dim spread : order) {
            if (spread == Dim::in_c && order.back() != Dim::in_c) continue;
            for (std::int64_t cores = 1; cores <= problem.machine.cores; ++cores)
                best =
                    std::min(best, best_of_regions(graph, {problem.tiling, order, cores, spread, {}}, rule, objective));
        }
    } while (std::next_permutation(order.begin(), order.end()));
    return best;
}

void expect_exhaustive(LatencyRule rule, int least_equal) {
    Random random(rule == LatencyRule::sum ? 2 : 3);
    int compared = 0;
    int equal = 0;
    while (compared < 25) {
        Problem problem = random_problem(random, 12);
        problem.machine.array.in_channels = std::max<std::int64_t>(2, problem.layer.in_c / 2);
        problem.machine.array.out_channels = std::max<std::int64_t>(2, problem.layer.out_c / 2);
        const Objective objective;
        Score truth{1e300, 0, 0};
        bool small = true;
        for (const BoundedTiling& one : tilings(problem.machine, problem.layer, rule, objective)) {
            const Problem cut{problem.machine, problem.layer, one.tiling};
            if (operation_count(cut) > 24) small = false;
        }
        if (!small) continue;
        for (const BoundedTiling& one : tilings(problem.machine, problem.layer, rule, objective))
            truth = std::min(truth, best_of_everything({problem.machine, problem.layer, one.tiling}, rule, objective));
        StaticEffort effort;
        const auto best =
            best_static(problem.machine, problem.layer, tilings(problem.machine, problem.layer, rule, objective), rule,
                        objective, {Spread::any}, {}, effort)
                .best;
        if (truth.value > 1e299) {
            EXPECT_FALSE(best);
            continue;
        }
        ASSERT_TRUE(best);
        ASSERT_LE(truth.value, best->score.value);
        equal += truth.value == best->score.value ? 1 : 0;
        ++compared;
    }
    EXPECT_GE(equal, least_equal) << "of " << compared;
}

TEST(StaticOrder, SearchIsExhaustiveUnderSum) { expect_exhaustive(LatencyRule::sum, 25); }

// Transfers into gaps make a few smaller regions faster by chance.
TEST(StaticOrder, SearchIsNearlyExhaustiveUnderOverlap) { expect_exhaustive(LatencyRule::overlap, 20); }

}  // namespace
}  // namespace tilewright::schedule::static_order_test
