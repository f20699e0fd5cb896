// Flexer's Algorithm 1 against plain loops: indexed sets against all sets, the search with and without cuts, abandoned
// schedules against completed ones.
#include "schedule/schedulers/flexer.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "fixtures/schedule_problem.hpp"
#include "schedule/problem/data_flow.hpp"
#include "schedule/schedulers/search.hpp"
#include "schedule/scratchpad/workspace.hpp"
#include "schedule/validation/validate.hpp"

namespace tilewright::schedule::flexer_test {
namespace {

// Algorithm 1's GetSchedule(), lines 12-27, without any index: every distinct set is planned, every time.
class PlainList {
   public:
    PlainList(const OperationGraph& graph, const ListOptions& options)
        : graph_(graph),
          options_(options),
          workspace_(graph, options.rule),
          order_(numbered(graph, options.data_flow)) {}

    Schedule run() {
        std::vector<int> ready;
        for (const int one : order_)
            if (graph_.operation(one).step == 0) ready.push_back(one);
        while (!ready.empty()) {
            const auto [set, plan] = chosen(ready);
            workspace_.run(set, plan);
            for (const int one : set) {
                std::erase(ready, one);
                if (!graph_.finishes(one)) ready.push_back(one + 1);
            }
            std::sort(ready.begin(), ready.end(), [&](int a, int b) { return place(a) < place(b); });
        }
        return workspace_.take();
    }

   private:
    std::ptrdiff_t place(int operation) const {
        return std::find(order_.begin(), order_.end(), operation) - order_.begin();
    }

    std::pair<std::vector<int>, MemoryPlan> chosen(const std::vector<int>& ready) {
        const auto cores = static_cast<std::size_t>(graph_.problem.machine.cores);
        for (std::size_t size = std::min(cores, ready.size()); size > 0; --size) {
            std::optional<std::pair<std::vector<int>, MemoryPlan>> best;
            double best_reused = 0.0;  // ties: more bytes reused, then the first
            SetRank best_rank;
            for (const auto& set : distinct_sets(graph_, ready, workspace_.resident(), static_cast<int>(size))) {
                const auto plan = workspace_.plan(set, options_.memory);
                if (!plan) continue;
                const double reused = reused_by(set);
                const SetRank rank{reused - lost(*plan), plan->used_bytes, plan->overhead_cycles};
                const bool better =
                    goes_before(rank, best_rank) || (!goes_before(best_rank, rank) && reused > best_reused);
                if (best && !better) continue;
                best = std::pair(set, *plan);
                best_rank = rank;
                best_reused = reused;
            }
            if (best) return *best;
        }
        return {{ready.front()}, workspace_.plan_alone(ready.front())};
    }

    double reused_by(const std::vector<int>& set) const {
        double bytes = 0.0;
        for (const int operation : set)
            for (const int tile : graph_.operation(operation).tiles)
                if (workspace_.resident()[tile] != 0) bytes += static_cast<double>(graph_.tile(tile).block_bytes);
        return bytes;
    }

    double lost(const MemoryPlan& plan) const {
        double bytes = 0.0;
        for (const int tile : plan.spilled)
            bytes +=
                static_cast<double>(graph_.tile(tile).block_bytes) /
                static_cast<double>(most_references(graph_.problem.machine.cores, workspace_.remaining_uses(tile)));
        return bytes;
    }

    const OperationGraph& graph_;
    const ListOptions options_;
    Workspace workspace_;
    std::vector<int> order_;
};

// Machines small enough to grow sets (more than 3,000 combinations) as well as enumerate them.
TEST(Flexer, TheListSchedulerRunsTheSetsOfThePlainLoop) {
    Random random(34);
    int grown = 0;
    for (int i = 0; i < 80; ++i) {
        Problem problem = random_problem(random, 260);
        if (i % 2 == 0) problem.tiling[Dim::out_w] = problem.tiling[Dim::out_h] = problem.tiling[Dim::out_c] = 1;
        if (operation_count(problem) > 600) continue;
        const OperationGraph graph = make_graph(problem);
        const std::int64_t chains = graph.operation_count() / graph.chain_length();
        grown += graph.problem.machine.cores >= 3 && chains > 40 ? 1 : 0;
        const auto flows = data_flows(graph);
        const ListOptions list{.rule = LatencyRule::sum, .data_flow = flows[random.below(flows.size())]};
        ASSERT_EQ(list_schedule(graph, list), PlainList(graph, list).run()) << i;
    }
    EXPECT_GE(grown, 5);
}

TEST(Flexer, CutsLoseNothing) {
    Random random(35);
    const StopSource never;
    int cut = 0;
    for (int i = 0; i < 80; ++i) {
        const Problem problem = random_problem(random, 30);
        const auto rule = random.chance(0.5) ? LatencyRule::sum : LatencyRule::overlap;
        const Objective objective{1.0, random.chance(0.3) ? 2.0 : 1.0};
        const auto all = tilings(problem.machine, problem.layer, rule, objective);
        FlexerOptions options{.rule = rule, .objective = objective};
        const FlexerAnswer quick = flexer(problem.machine, problem.layer, all, options, never);
        options.cuts = false;
        const FlexerAnswer plain = flexer(problem.machine, problem.layer, all, options, never);
        ASSERT_EQ(quick.best.has_value(), plain.best.has_value()) << i;
        if (!quick.best) continue;
        ASSERT_EQ(quick.best->score, plain.best->score) << i;
        ASSERT_TRUE(validate(quick.best->problem, quick.best->schedule).empty()) << i;
        std::int64_t flows = 0;
        for (const BoundedTiling& one : all)
            flows +=
                static_cast<std::int64_t>(data_flows(make_graph({problem.machine, problem.layer, one.tiling})).size());
        ASSERT_EQ(plain.effort.schedules, flows) << i;  // every tiling, every data flow
        const FlexerEffort& effort = quick.effort;
        ASSERT_LE(effort.schedules + effort.given_up + effort.alike, flows) << i;
        cut += effort.ruled_out > 0 && effort.given_up > 0 && effort.alike > 0 ? 1 : 0;
    }
    EXPECT_GE(cut, 12);
}

// The default search ends with Algorithm 1, and so is never worse; nor are both together.
TEST(Flexer, OursIsNeverWorse) {
    Random random(38);
    const StopSource never;
    int better = 0;
    for (int i = 0; i < 60; ++i) {
        const Problem problem = random_problem(random, 40);
        SearchOptions options;
        options.rule = random.chance(0.5) ? LatencyRule::sum : LatencyRule::overlap;
        options.tilings = 2;  // most tilings are Algorithm 1's alone
        const auto search = [&](Scheduler scheduler) {
            options.scheduler = scheduler;
            return search_layer(problem.machine, problem.layer, options, never);
        };
        const LayerAnswer flexers = search(Scheduler::flexer);
        if (!flexers.best) continue;
        const LayerAnswer ours = search(Scheduler::ours);
        ASSERT_LE(ours.best->score, flexers.best->score) << i;
        ASSERT_LE(search(Scheduler::both).best->score, flexers.best->score) << i;
        ASSERT_TRUE(validate(ours.best->problem, ours.best->schedule).empty()) << i;
        better += ours.best->score < flexers.best->score ? 1 : 0;
    }
    EXPECT_GE(better, 5);
}

// A schedule's remaining cost never undercuts its bound: no cutoff at its own value abandons it.
TEST(Flexer, OnlyWhatIsWorseIsGivenUp) {
    Random random(36);
    int given_up = 0;
    for (int i = 0; i < 400; ++i) {
        const OperationGraph graph = make_graph(random_problem(random, 120));
        const ReuseBound reuse(graph.problem);
        for (const LatencyRule rule : {LatencyRule::sum, LatencyRule::overlap}) {
            const ListOptions list{.rule = rule, .data_flow = data_flows(graph).front()};
            const double value = score_of({}, list_schedule(graph, list)).value;
            const std::int64_t least = bounds_of(graph.problem, rule).traffic_bytes;
            ASSERT_TRUE(list_schedule(graph, list, {{}, value, least, &reuse})) << i;
            given_up += list_schedule(graph, list, {{}, value * 0.8, least, &reuse}) ? 0 : 1;
        }
    }
    EXPECT_EQ(given_up, 800);
}

// A cutoff with a latency demands an improvement: ties are abandoned, better ones are not.
TEST(Flexer, TiesAreGivenUp) {
    Random random(37);
    for (int i = 0; i < 200; ++i) {
        const OperationGraph graph = make_graph(random_problem(random, 60));
        const ReuseBound reuse(graph.problem);
        const ListOptions list{.rule = LatencyRule::sum, .data_flow = data_flows(graph).front()};
        const Score score = score_of({}, list_schedule(graph, list));
        const std::int64_t least = bounds_of(graph.problem, list.rule).traffic_bytes;
        ASSERT_FALSE(list_schedule(graph, list, {{}, score.value, least, &reuse, score.latency_cycles})) << i;
        ASSERT_TRUE(list_schedule(graph, list, {{}, score.value, least, &reuse, score.latency_cycles + 1})) << i;
    }
}

}  // namespace
}  // namespace tilewright::schedule::flexer_test
