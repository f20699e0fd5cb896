#include "run/llm/fused_parts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "arch/vector_unit.hpp"
#include "base/error.hpp"
#include "fixtures/fused_bottleneck.hpp"
#include "llm/split.hpp"
#include "run/fused/fusing.hpp"
#include "run/llm/serve.hpp"
#include "run/llm/serve_model.hpp"
#include "workload/zoo/cascades.hpp"

namespace tilewright::fused_parts_test {
namespace {

using llm::Point;

llm::Model tiny() {
    DecoderSizes sizes{.blocks = 3, .width = 16, .kv_heads = 2, .query_heads = 2, .head = 4, .hidden = 16};
    sizes.vocabulary = 32;
    return {"tiny", [sizes](const Point& point) {
                return decoder_cascade("tiny", sizes, {point.batch, point.tokens, point.context});
            }};
}

ServingMachine machine_of(bool fuse) {
    ServingMachine machine;
    machine.architecture = fixtures::three_levels(256, 2);
    machine.architecture.cycle_seconds = 1e-9;
    machine.device.links = Links{.bytes_per_us = 1e3, .latency_us = 1.0};
    machine.fuse = fuse;
    return machine;
}

MapOptions options_of(ObjectiveKind kind) {
    MapOptions options;
    options.objective.kind = kind;
    return options;
}

std::vector<llm::PhaseCosts> costs(const std::vector<Point>& points, const ServingMachine& machine,
                                   const MapOptions& options) {
    const ServingPlan plan = plan_serving(tiny(), points, machine);
    const NetworkAnswer answer = map_network(plan.problem, options);
    if (!machine.fuse) return costs_of(plan, answer, machine);
    const FusedParts fused = fuse_parts(plan, machine, options);
    return costs_of(plan, answer, machine, &fused);
}

const std::vector<Point> kPoints{{Phase::prefill, 1, 8, 0, 1},
                                 {Phase::prefill, 2, 4, 0, 2},
                                 {Phase::decode, 4, 1, 7, 1},
                                 {Phase::decode, 2, 1, 15, 1},
                                 {Phase::decode, 4, 1, 7, 2}};

// For the same objective no point has more than einsum by einsum, and none less than its bound; some have less.
TEST(FusedParts, AreNotWorseThanEinsumByEinsum) {
    VectorUnit unit{"Buffer", {}};
    for (VectorRate& rate : unit.rates) rate = {.energy_pj = 1.0, .per_cycle = 8.0};
    struct Asked {
        ObjectiveKind kind;
        bool has_unit;
        int points;
    };
    int less = 0;
    int all = 0;
    for (const auto& [kind, has_unit, count] : {Asked{ObjectiveKind::latency, false, 3},
                                                {ObjectiveKind::latency, true, 2},
                                                {ObjectiveKind::energy, false, 2},
                                                {ObjectiveKind::edp, false, 1}}) {
        const std::vector<Point> points(kPoints.begin(), kPoints.begin() + count);
        ServingMachine machine = machine_of(false);
        if (has_unit) machine.vector_unit = unit;
        const std::vector<llm::PhaseCosts> alone = costs(points, machine, options_of(kind));
        machine.fuse = true;
        const std::vector<llm::PhaseCosts> fused = costs(points, machine, options_of(kind));
        const Objective objective{.kind = kind};
        for (std::size_t i = 0; i < points.size(); ++i) {
            const auto score = [&](const auto& one) { return objective.score(one.energy_pj, one.seconds).value; };
            EXPECT_LE(score(fused[i]), score(alone[i]) * (1 + 1e-12)) << i;
            less += score(fused[i]) < 0.99 * score(alone[i]);
            ASSERT_TRUE(fused[i].fused);
            EXPECT_DOUBLE_EQ(fused[i].fused->unfused_seconds, alone[i].seconds);
            EXPECT_DOUBLE_EQ(fused[i].fused->unfused_energy_pj, alone[i].energy_pj);
            EXPECT_EQ(fused[i].fused->bound.has_value(), kind != ObjectiveKind::edp && !has_unit);
            if (fused[i].fused->bound) {
                EXPECT_LE(*fused[i].fused->bound, score(fused[i]) * (1 + 1e-12));
            }
            double shares = 0.0;
            for (const llm::BoundShare& bound : fused[i].bounds) shares += bound.share;
            EXPECT_NEAR(shares, 1.0, 1e-9);
            EXPECT_EQ(fused[i].collectives, alone[i].collectives);
            EXPECT_LE(fused[i].attention_seconds, fused[i].seconds);
            EXPECT_GT(fused[i].attention_seconds, 0.0);
            ++all;
        }
    }
    EXPECT_EQ(all, 8);
    EXPECT_GE(less, 6);
}

// Part by part no more is found than map --fuse finds for the whole cascade, with its repeats; and hardly less than it
// proves: a part may keep what another one made in the buffer, as an input.
TEST(FusedParts, AddUpToTheWholeCascade) {
    const ServingMachine machine = machine_of(true);
    for (const ObjectiveKind kind : {ObjectiveKind::latency, ObjectiveKind::energy})
        for (const Point& point : {kind == ObjectiveKind::latency ? kPoints[0] : kPoints[2]}) {
            const Objective objective{.kind = kind};
            const Cascade whole = tiny().at(point);
            const Fusing fusing = fusing_of(whole, machine.architecture, objective);
            const fusion::Answer answer = fuse(whole, machine.architecture, fusing, objective);
            const ServingPlan plan = plan_serving(tiny(), {point}, machine);
            const FusedParts fused = fuse_parts(plan, machine, options_of(kind));
            double seconds = 0.0;
            double energy_pj = 0.0;
            for (const FusibleRun& run : plan.points[0].runs)
                for (const FusedGroup& group : fused.parts[run.part].groups) {
                    seconds += static_cast<double>(run.repeats) * group.seconds;
                    energy_pj += static_cast<double>(run.repeats) * group.energy_pj;
                }
            const fused::Evaluation& known = answer.fused->evaluation;
            const double found = kind == ObjectiveKind::latency ? seconds * 1e9 : energy_pj;
            EXPECT_LE(found, objective.score(known.energy_pj, known.cycles).value * (1 + 1e-9));
            EXPECT_GE(found, 0.995 * answer.bound);
        }
}

// Of two devices no group goes on behind a sum over them; equal parts of several points are searched once.
TEST(FusedParts, EndAtSumsOverDevices) {
    const ServingMachine machine = machine_of(true);
    const Point point{Phase::decode, 4, 1, 7, 2};
    const ServingPlan plan = plan_serving(tiny(), {point, point, {Phase::decode, 4, 1, 15, 2}}, machine);
    const auto shared = std::get<llm::Shared>(llm::shared_by(tiny().at(point), 2));
    ASSERT_EQ(shared.sums.size(), 2U);
    for (const llm::SummedTensor& sum : shared.sums) {
        const int writer = shared.part.tensors[sum.tensor].writers.back().einsum;
        EXPECT_TRUE(
            std::ranges::any_of(plan.points[0].runs, [&](const FusibleRun& run) { return run.first == writer + 1; }));
    }
    EXPECT_EQ(plan.points[0].runs.size(), 4U) << "up to each sum, between the last and the next block, the head";
    EXPECT_EQ(plan.fusible.size(), 5U) << "the longer context has another attention, and no other part";
    for (std::size_t i = 0; i < plan.points[0].runs.size(); ++i)
        EXPECT_EQ(plan.points[0].runs[i].part, plan.points[1].runs[i].part);
}

// At its points a server takes what the points take; threads and a stop change no answer that is there.
TEST(FusedParts, AreWhatAServersStepsTake) {
    ServingMachine machine = machine_of(true);
    const MapOptions options = options_of(ObjectiveKind::latency);
    const std::vector<llm::PhaseCosts> points = costs(step_points({2, 2, 64}, 1), machine, options);
    llm::Engine engine;
    const llm::ServerOf server = mapped_server(points, engine);
    const llm::StepCosts step = server.costs({});
    int decodes = 0;
    for (const llm::PhaseCosts& one : points) {
        if (one.point.phase == Phase::prefill) continue;
        const double us =
            step({.decodes = one.point.batch, .context = static_cast<double>(one.point.context), .chunks = {}}).us;
        EXPECT_NEAR(us, one.seconds * 1e6, 1e-9 * us);
        ++decodes;
    }
    EXPECT_GE(decodes, 2);
    const ServingPlan plan = plan_serving(tiny(), {kPoints[2]}, machine);
    StopSource stop;
    stop.request();
    const FusedParts none = fuse_parts(plan, machine, options, &stop);
    EXPECT_TRUE(none.interrupted);
}

TEST(FusedParts, OfMachinesWithAModelOfTheirOwnAreRefused) {
    ServingMachine machine = machine_of(true);
    EXPECT_EQ(serving_refusal(machine, {}, true), "");
    EXPECT_THAT(serving_refusal(machine, {Capability::blocks}, false), testing::HasSubstr("without scales"));
    machine.silicon.emplace();
    EXPECT_THAT(serving_refusal(machine, {}, true), testing::HasSubstr("fusion and latency as built"));
    machine.fuse = false;
    EXPECT_EQ(serving_refusal(machine, {}, true), "");
    EXPECT_THAT(serving_refusal(machine, {Capability::pareto}, true), testing::HasSubstr("a step has one time"));
}

}  // namespace
}  // namespace tilewright::fused_parts_test
