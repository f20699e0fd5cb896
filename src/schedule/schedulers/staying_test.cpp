// Outputs that stay: the choice against exhaustion, schedules beside kept tensors against the validator and the exact
// solver, and corrupted files.
#include "schedule/schedulers/staying.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <functional>

#include "base/numbers/random.hpp"
#include "fixtures/schedule_problem.hpp"
#include "oracle/schedules.hpp"
#include "schedule/problem/bounds.hpp"
#include "schedule/schedulers/beam.hpp"
#include "schedule/schedulers/list_scheduler.hpp"
#include "schedule/schedulers/ordered.hpp"
#include "schedule/schedulers/regions.hpp"
#include "schedule/schedulers/static_order.hpp"
#include "schedule/validation/validate.hpp"

namespace tilewright::schedule::staying_test {
namespace {

MultiNpu machine_of(std::int64_t scratchpad_bytes) {
    return {"two cores", 2, scratchpad_bytes, 1, 8, {1, 1, 1, 4}, {4, 4, 0}};
}

// An image of 4 x 4 points through a kernel of 1.
NetworkStep pointwise(std::int64_t in_c, std::int64_t out_c, std::vector<int> reads) {
    return {{4, 4, in_c, out_c, 1, 1, 1, 1, 1, 1, {}}, 1, 1, 1, std::move(reads)};
}

// SqueezeNet's pattern: a squeeze, two consumers, and one consumer of both.
std::vector<NetworkStep> fire() {
    std::vector<NetworkStep> steps{pointwise(8, 4, {}), pointwise(4, 8, {0}), pointwise(4, 8, {0}),
                                   pointwise(16, 4, {1, 2})};
    steps[2].layer.kernel_w = steps[2].layer.kernel_h = 3;  // padded
    return steps;
}

TEST(Staying, TensorsAreThoseThatOnlyWholeReadersTake) {
    const std::vector<StayingTensor> tensors = tensors_that_may_stay(fire(), machine_of(1000));
    ASSERT_EQ(tensors.size(), 3U);
    EXPECT_EQ(tensors[0], (StayingTensor{0, {1, 2}, 64, 0, 0}));
    EXPECT_EQ(tensors[1], (StayingTensor{1, {3}, 128, 1, 0}));
    EXPECT_EQ(tensors[2], (StayingTensor{2, {3}, 128, 1, 0}));  // read together with the previous one
}

TEST(Staying, WhatIsPooledAddedOrOfAnotherSizeDoesNotStay) {
    const auto count = [](const std::vector<NetworkStep>& steps, const MultiNpu& machine) {
        return tensors_that_may_stay(steps, machine).size();
    };
    std::vector<NetworkStep> pooled = fire();
    pooled[3].layer.out_w = pooled[3].layer.out_h = 2;
    EXPECT_EQ(count(pooled, machine_of(1000)), 1U);
    std::vector<NetworkStep> added = fire();
    added[3].layer.in_c = 8;
    EXPECT_EQ(count(added, machine_of(1000)), 1U);
    std::vector<NetworkStep> oftener = fire();
    oftener[3].images = 2;
    EXPECT_EQ(count(oftener, machine_of(1000)), 1U);
    EXPECT_EQ(count(fire(), machine_of(128)), 1U);  // no larger than the scratchpad
    MultiNpu wide = machine_of(1000);
    wide.element_bytes.output = 2;
    EXPECT_EQ(count(fire(), wide), 0U);
    std::vector<NetworkStep> narrower = fire();
    narrower[3].layer.bits = {4, 8, 8, 32};
    EXPECT_EQ(count(narrower, machine_of(1000)), 1U) << "it reads words of 4 bits, and what is made has 8";
}

// Costs rising with kept bytes, and falling without a load or store.
std::optional<LayerCost> toy_cost(const ConvLayer& layer, std::int64_t limit, std::int64_t salt) {
    const std::int64_t beside = layer.kept.above_bytes + layer.kept.below_bytes;
    if (beside > limit) return std::nullopt;
    const std::int64_t in = layer.in_c * 7 + salt;
    const std::int64_t out = layer.out_c * 5;
    return LayerCost{400 + beside * ((layer.out_c + salt) % 3) / 8 - (layer.kept.input ? in : 0),
                     300 + beside / 4 - (layer.kept.output ? out : 0) - (layer.kept.input ? in / 2 : 0)};
}

// Every choice and every place at either end, without pruning.
class EveryChoice {
   public:
    EveryChoice(const std::vector<NetworkStep>& steps, const std::vector<StayingTensor>& tensors, std::int64_t memory,
                std::function<std::optional<LayerCost>(const ConvLayer&)> cost)
        : steps_(steps), tensors_(tensors), memory_(memory), cost_(std::move(cost)) {}

    double best() {
        std::vector<int> sets;
        for (const StayingTensor& one : tensors_)
            if (std::find(sets.begin(), sets.end(), one.set) == sets.end()) sets.push_back(one.set);
        for (std::size_t mask = 0; mask < std::size_t{1} << sets.size(); ++mask) {
            stay_.clear();
            for (const StayingTensor& one : tensors_) {
                const auto set = std::find(sets.begin(), sets.end(), one.set) - sets.begin();
                if ((mask >> set & 1U) != 0) stay_.push_back(one);
            }
            place(0, {}, {});
        }
        return best_;
    }

   private:
    struct Placed {
        std::size_t tensor = 0;
        bool above = false;
        std::int64_t offset = 0;
    };

    void place(std::size_t step, std::vector<Placed> live, LayerCost sum) {
        if (step == steps_.size()) {
            best_ = std::min(best_, Objective{}.value(static_cast<double>(sum.latency_cycles),
                                                      static_cast<double>(sum.traffic_bytes)));
            return;
        }
        const auto index = static_cast<int>(step);
        std::erase_if(live, [&](const Placed& one) { return stay_[one.tensor].readers.back() < index; });
        const auto made =
            std::find_if(stay_.begin(), stay_.end(), [&](const StayingTensor& one) { return one.step == index; });
        if (made == stay_.end()) return run(step, live, sum);
        for (const bool above : {false, true}) {
            std::vector<Placed> with = live;
            with.push_back({static_cast<std::size_t>(made - stay_.begin()), above, top(live, above)});
            run(step, with, sum);
        }
    }

    void run(std::size_t step, const std::vector<Placed>& live, LayerCost sum) {
        const auto index = static_cast<int>(step);
        ConvLayer layer = steps_[step].layer;
        layer.kept.above_bytes = top(live, false) + top(live, true);
        if (layer.kept.above_bytes >= memory_) return;
        for (const StayingTensor& one : stay_) {
            layer.kept.output = layer.kept.output || one.step == index;
            layer.kept.input =
                layer.kept.input || std::find(one.readers.begin(), one.readers.end(), index) != one.readers.end();
        }
        const std::optional<LayerCost> cost = cost_(layer);
        if (!cost) return;
        sum.latency_cycles += cost->latency_cycles;
        sum.traffic_bytes += cost->traffic_bytes;
        place(step + 1, live, sum);
    }

    std::int64_t top(const std::vector<Placed>& live, bool above) const {
        std::int64_t bytes = 0;
        for (const Placed& one : live)
            if (one.above == above) bytes = std::max(bytes, one.offset + stay_[one.tensor].bytes);
        return bytes;
    }

    const std::vector<NetworkStep>& steps_;
    const std::vector<StayingTensor>& tensors_;
    const std::int64_t memory_;
    const std::function<std::optional<LayerCost>(const ConvLayer&)> cost_;
    std::vector<StayingTensor> stay_;
    double best_ = 1e300;
};

// Steps reading one, two (side by side) or none of the earlier ones.
std::vector<NetworkStep> random_network(Random& random) {
    std::vector<NetworkStep> steps;
    const auto count = static_cast<int>(random.between(3, 6));
    for (int i = 0; i < count; ++i) {
        std::vector<int> reads;
        if (i > 0) reads.push_back(static_cast<int>(random.between(std::max(0, i - 3), i - 1)));
        if (i > 1 && random.chance(0.3)) reads.push_back(static_cast<int>(random.between(0, i - 1)));
        std::sort(reads.begin(), reads.end());
        reads.erase(std::unique(reads.begin(), reads.end()), reads.end());
        std::int64_t channels = 0;
        for (const int source : reads) channels += steps[source].layer.out_c;
        steps.push_back(pointwise(channels == 0 ? 4 : channels, random.between(1, 9), reads));
    }
    return steps;
}

TEST(Staying, TheChoiceIsTheBestOfAll) {
    Random random(11);
    int compared = 0;
    int stayed = 0;
    while (compared < 1000) {
        const std::vector<NetworkStep> steps = random_network(random);
        const MultiNpu machine = machine_of(random.between(150, 900));
        const auto tensors = tensors_that_may_stay(steps, machine);
        if (tensors.empty()) continue;
        const std::int64_t salt = random.between(0, 20);
        const std::int64_t limit = random.between(machine.scratchpad_bytes / 4, machine.scratchpad_bytes);
        const auto cost = [&](const ConvLayer& layer) { return toy_cost(layer, limit, salt); };
        const auto costs = [&](const std::vector<ConvLayer>& layers) {
            std::vector<std::optional<LayerCost>> result;
            for (const ConvLayer& layer : layers) result.push_back(cost(layer));
            return result;
        };
        const auto plan = best_staying(steps, tensors, machine, {}, {}, costs);
        ASSERT_TRUE(plan);
        EXPECT_EQ(Objective{}.value(static_cast<double>(plan->cost.latency_cycles),
                                    static_cast<double>(plan->cost.traffic_bytes)),
                  EveryChoice(steps, tensors, machine.scratchpad_bytes, cost).best());
        const LayerCost least = least_staying(steps, tensors, machine, costs);
        EXPECT_LE(least.latency_cycles, plan->cost.latency_cycles);
        EXPECT_LE(least.traffic_bytes, plan->cost.traffic_bytes);
        std::vector<NetworkStep> kept = steps;
        for (std::size_t i = 0; i < kept.size(); ++i) kept[i].layer.kept = plan->kept[i];
        EXPECT_TRUE(validate_staying(machine, kept, plan->tensors).empty());
        stayed += plan->tensors.size() > 1 ? 1 : 0;
        ++compared;
    }
    EXPECT_GE(stayed, 150);
}

// A random problem with kept tensors, and the same room for the rest.
Problem with_kept(Random& random) {
    Problem problem = random_problem(random, 8);
    Kept& kept = problem.layer.kept;
    kept.input = random.chance(0.6);
    kept.output = !kept.input || random.chance(0.5);
    kept.below_bytes = random.between(0, 50);
    kept.above_bytes = random.between(0, 50);
    problem.machine.scratchpad_bytes += kept.below_bytes + kept.above_bytes;
    return problem;
}

std::vector<Schedule> schedules_of(const OperationGraph& graph, LatencyRule rule) {
    std::vector<Schedule> schedules;
    for (const StaticPlan& plan : static_plans(graph, rule, {Spread::any})) {
        schedules.push_back(run_static(graph, plan, rule));
        const auto sets = ordered_sets(graph, {plan.order, plan.cores, plan.spread, true, 0.0});
        schedules.push_back(run_in_regions(graph, sets, plan.slots, rule, Replacement::patient));
    }
    schedules.push_back(list_schedule(graph, {.rule = rule, .data_flow = data_flows(graph).front()}));
    for (const OrderedPlan& plan : ordered_plans(graph, rule))
        schedules.push_back(run_in_order(graph, ordered_sets(graph, plan), rule, plan.patience));
    if (auto ahead = beam_schedule(graph, {rule, 4, 3}, Cutoff{{}, 1e300, 0})) schedules.push_back(*std::move(ahead));
    return schedules;
}

TEST(Staying, SchedulesBesideKeptTensorsHold) {
    Random random(12);
    std::size_t held = 0;
    for (int round = 0; round < 60; ++round) {
        const Problem problem = with_kept(random);
        const OperationGraph graph = make_graph(problem);
        for (const LatencyRule rule : {LatencyRule::sum, LatencyRule::overlap}) {
            const Bounds bounds = bounds_of(problem, rule);
            for (const Schedule& one : schedules_of(graph, rule)) {
                const auto findings = validate(problem, moved_up(one, problem.layer.kept.below_bytes), 1);
                ASSERT_TRUE(findings.empty()) << findings.front().place << ": " << findings.front().message;
                EXPECT_LE(bounds.latency_cycles, one.latency_cycles);
                EXPECT_LE(bounds.traffic_bytes, one.traffic_bytes);
                ++held;
            }
        }
    }
    EXPECT_GE(held, 5000U);
}

TEST(Staying, BoundsBesideKeptTensorsNeverExceedTheOptimum) {
    Random random(13);
    for (int round = 0; round < 2000; ++round) {
        const Problem problem = with_kept(random);
        const Bounds bounds = bounds_of(problem, LatencyRule::sum);
        for (const ExactPoint& point : exact_front(make_graph(problem))) {
            ASSERT_LE(bounds.traffic_bytes, point.traffic_bytes);
            ASSERT_LE(bounds.latency_cycles, point.latency_cycles);
        }
    }
}

TEST(Staying, ATileOfAKeptTensorIsNeitherMovedNorPlaced) {
    Problem problem;
    problem.machine = machine_of(2000);
    problem.layer = {4, 4, 8, 8, 1, 1, 1, 1, 1, 1, {}, {true, true, 128, 128}};
    problem.tiling = {{2, 4, 4, 4}};
    const OperationGraph graph = make_graph(problem);
    const Schedule good = moved_up(list_schedule(graph, {}), 128);
    EXPECT_TRUE(validate(problem, good).empty());
    const auto fault_of = [&](const std::function<void(Schedule&)>& corrupt) {
        Schedule bad = good;
        corrupt(bad);
        const auto findings = validate(problem, bad);
        return findings.empty() ? "none" : std::string(fault_name(findings.front().fault));
    };
    EXPECT_EQ(fault_of([](Schedule& s) { s.transfers.push_back({TransferKind::load, Operand::input}); }),
              "kept-tensor");
    EXPECT_EQ(fault_of([](Schedule& s) { s.transfers.push_back({TransferKind::store, Operand::output}); }),
              "kept-tensor");
    EXPECT_EQ(fault_of([](Schedule& s) { s.executions[0].address[0] = 200; }), "kept-tensor");
    EXPECT_EQ(fault_of([](Schedule& s) { s.executions[0].address[2] = 0; }), "out-of-memory");
    EXPECT_EQ(fault_of([](Schedule& s) { s.transfers[0].address = 2000 - 130; }), "out-of-memory");
}

TEST(Staying, EveryCorruptionOfWhatStaysIsRefusedForItsReason) {
    const MultiNpu machine = machine_of(600);
    const std::vector<StayingTensor> tensors{
        {0, {1, 2}, 64, 0, 0}, {1, {3}, 128, 1, 600 - 128}, {2, {3}, 128, 1, 600 - 256}};
    std::vector<NetworkStep> steps = fire();
    steps[0].layer.kept = {false, true, 64, 0};
    steps[1].layer.kept = {true, true, 64, 128};
    steps[2].layer.kept = {true, true, 64, 256};
    steps[3].layer.kept = {true, false, 0, 256};
    ASSERT_TRUE(validate_staying(machine, steps, tensors).empty());
    using Corrupt = std::function<void(std::vector<NetworkStep>&, std::vector<StayingTensor>&)>;
    const std::vector<std::pair<const char*, Corrupt>> corruptions{
        {"unknown-step", [](auto&, auto& t) { t[0].step = 4; }},
        {"unknown-step", [](auto&, auto& t) { t[0].readers = {}; }},
        {"unknown-step", [](auto&, auto& t) { t[1].readers = {1}; }},
        {"wrong-tensor", [](auto&, auto& t) { --t[1].bytes; }},
        {"wrong-tensor", [](auto& s, auto&) { s[1].groups = 2; }},
        {"no-room", [](auto&, auto& t) { t[1].address = 600 - 127; }},
        {"no-room", [](auto& s, auto&) { s[1].layer.kept.below_bytes = 63; }},
        {"no-room", [](auto& s, auto&) { s[2].layer.kept.above_bytes = 255; }},
        {"overlapping-tensors", [](auto&, auto& t) { t[2].address = t[1].address; }},
        {"undeclared", [](auto& s, auto&) { s[3].layer.kept.input = false; }},
        {"undeclared", [](auto& s, auto&) { s[3].layer.kept.output = true; }},
        {"undeclared", [](auto&, auto& t) { t.pop_back(); }},
        {"not-what-is-read", [](auto&, auto& t) { t[2].readers = {3}, t[1].readers = {2}; }},
        {"not-what-is-read", [](auto& s, auto&) { s[3].layer.in_c = 8; }},
        {"not-what-is-read", [](auto& s, auto&) { s[3].layer.out_w = 2; }},
        {"not-what-is-read", [](auto& s, auto&) { s[3].images = 2; }},
        {"bad-problem", [](auto& s, auto&) { s[0].layer.stride_w = 0; }},
    };
    for (std::size_t i = 0; i < corruptions.size(); ++i) {
        std::vector<NetworkStep> bad_steps = steps;
        std::vector<StayingTensor> bad_tensors = tensors;
        corruptions[i].second(bad_steps, bad_tensors);
        std::vector<std::string> faults;
        for (const Finding& finding : validate_staying(machine, bad_steps, bad_tensors))
            faults.emplace_back(fault_name(finding.fault));
        EXPECT_THAT(faults, testing::Contains(corruptions[i].first)) << "corruption " << i;
    }
}

}  // namespace
}  // namespace tilewright::schedule::staying_test
