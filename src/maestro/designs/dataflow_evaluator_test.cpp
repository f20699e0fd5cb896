// Pruning omits only designs over a limit, and incremental counts equal fresh ones.
#include "maestro/designs/dataflow_evaluator.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/numbers/random.hpp"
#include "maestro/designs/accelerator_cost.hpp"

namespace tilewright::explore::dataflow_evaluator_test {
namespace {

using dataflow::Axis;
using dataflow::Directive;
using dataflow::DirectiveKind;
using dataflow::Size;

const Location kWhere{"--set"};

Directive map(DirectiveKind kind, const Size& size, const Size& offset, Axis axis) {
    return {kind, size, offset, axis, dataflow::ClusterKind::logical, {}};
}

/// A small convolution with NVDLA's dataflow: P_c input channels at a time, P_k output channels a unit.
DataflowSubject subject(std::int64_t stride = 1) {
    dataflow::Layer layer;
    layer.name = "conv";
    layer.extents[Axis::K] = 64;
    layer.extents[Axis::C] = 48;
    layer.extents[Axis::R] = layer.extents[Axis::S] = 3;
    layer.extents[Axis::Y] = layer.extents[Axis::X] = 15;
    layer.stride[Axis::Y] = layer.stride[Axis::X] = stride;
    const Size c = Size::parameter("P_c");
    const Size k = Size::parameter("P_k");
    const Size one = Size::number(1);
    layer.dataflow = {
        "nvdla",
        {map(DirectiveKind::temporal, c, c, Axis::C), map(DirectiveKind::temporal, Size::of(Axis::R), one, Axis::Y),
         map(DirectiveKind::temporal, Size::of(Axis::S), one, Axis::X), map(DirectiveKind::spatial, k, k, Axis::K)}};
    return {{layer}, {}, {}};
}

Specification specification_of(const std::vector<std::string>& knobs, const std::vector<std::string>& limits) {
    Specification specification;
    std::vector<Knob> all;
    for (const std::string& knob : knobs) all.push_back(parse_knob(knob, kWhere));
    specification.space = Space(all);
    specification.metrics = dataflow_metrics();
    for (const std::string& limit : limits)
        specification.limits.push_back(parse_condition(limit, specification.metrics, nullptr, kWhere));
    return specification;
}

Batch all_of(const DataflowSubject& subject, const Specification& specification, bool prune, Chunk chunk) {
    DataflowEvaluator evaluator(subject, specification, {.prune = prune});
    return *evaluator.evaluate(chunk, StopSource());
}

TEST(DataflowEvaluator, PruningFindsTheSameRowsAndFronts) {
    std::int64_t compared = 0;
    std::int64_t skipped = 0;
    const std::vector<std::vector<std::string>> orders{
        {"units=4..64*2", "P_c=1..48+5", "P_k=1..64*2", "noc=2..32*2"},
        {"noc=2..32*2", "P_k=1..64*2", "units=4..64*2", "P_c=1..48+5"},
        {"P_c=48,1,7,20,3", "noc=32,2,8", "P_k=1..64*2", "units=64,4,16"}};
    const std::vector<std::vector<std::string>> limits{
        {"area<1"}, {"area<4", "power<60"}, {"power<=30", "latency<1000000"}, {"area<0.0001"}, {"utilization>0.5"}};
    for (const auto& order : orders)
        for (const auto& limit : limits)
            for (const std::int64_t stride : {1, 2}) {
                const DataflowSubject given = subject(stride);
                const Specification specification = specification_of(order, limit);
                const Chunk whole{0, 0, specification.space.size()};
                const Batch pruned = all_of(given, specification, true, whole);
                const Batch unpruned = all_of(given, specification, false, whole);
                EXPECT_EQ(pruned.rows, unpruned.rows);
                EXPECT_EQ(unpruned.counts.skipped, 0);
                EXPECT_EQ(pruned.counts.evaluated + pruned.counts.skipped, pruned.counts.explored);
                EXPECT_EQ(pruned.counts.explored, specification.space.size());
                const auto front = [&](const Batch& batch) {
                    return pareto_front(batch.rows, {0, 5}, specification.metrics);
                };
                EXPECT_EQ(front(pruned), front(unpruned));
                compared += whole.hi;
                skipped += pruned.counts.skipped;
            }
    EXPECT_GE(compared, 20'000);
    EXPECT_GE(skipped, 5'000);
}

TEST(DataflowEvaluator, ChunksAreCutAnywhere) {
    const DataflowSubject given = subject();
    const Specification specification =
        specification_of({"units=4..64*2", "P_c=1..48+5", "P_k=1..64*2", "noc=2..32*2"}, {"area<4", "power<60"});
    const Batch whole = all_of(given, specification, true, {0, 0, specification.space.size()});
    Random random(11);
    for (int round = 0; round < 20; ++round) {
        Batch parts;
        for (Point lo = 0; lo < specification.space.size();) {
            const Point hi = std::min(specification.space.size(), lo + random.between(1, 400));
            const Batch part = all_of(given, specification, true, {0, lo, hi});
            EXPECT_EQ(part.counts.explored, part.counts.evaluated + part.counts.skipped);
            parts.counts.add(part.counts);
            parts.rows.insert(parts.rows.end(), part.rows.begin(), part.rows.end());
            lo = hi;
        }
        EXPECT_EQ(parts.rows, whole.rows);
        EXPECT_EQ(parts.counts.explored, whole.counts.explored);
        EXPECT_EQ(parts.counts.valid, whole.counts.valid);
    }
}

TEST(DataflowEvaluator, RowsAreWhatAFreshEvaluationSays) {
    DataflowSubject given = subject(2);
    const Specification specification =
        specification_of({"units=4..64*2", "P_c=1..48+5", "P_k=1..64*2", "noc=2..32*2"}, {"area<6"});
    const Batch batch = all_of(given, specification, true, {0, 0, specification.space.size()});
    ASSERT_GT(batch.rows.size(), 300U);
    for (const Row& row : batch.rows) {
        const auto number = [&](std::size_t knob) { return std::stoll(specification.space.value(row.point, knob)); };
        given.hardware.units = number(0);
        given.hardware.noc_bytes_per_cycle = number(3);
        const dataflow::LayerCost cost = cost_of(given.layers[0], *given.layers[0].dataflow,
                                                 {{"P_c", number(1)}, {"P_k", number(2)}}, given.hardware);
        ASSERT_TRUE(cost.counts);
        const Accelerator accelerator{number(0), 1, cost.l1_bytes, cost.l2_bytes, number(3)};
        EXPECT_EQ(row.values[0], cost.energy_operations);
        EXPECT_EQ(row.values[1], static_cast<double>(cost.counts->runtime_cycles));
        EXPECT_EQ(row.values[3], area_mm2(accelerator));
        EXPECT_EQ(row.values[4], power_mw(accelerator));
        EXPECT_LE(row.values[6], 1.0) << "no more than one multiply-accumulate per unit and cycle";
    }
}

TEST(DataflowEvaluator, KnobsAreThoseOfTheDataflow) {
    const DataflowSubject given = subject();
    const auto message = [&](const std::string& knob) -> std::string {
        try {
            check_dataflow_knobs(given, specification_of({knob}, {}).space);
        } catch (const InputError& error) {
            return error.message();
        }
        return "";
    };
    EXPECT_EQ(message("P_c=1,2"), "");
    EXPECT_THAT(message("P_x=1,2"), testing::HasSubstr("the dataflow leaves no size 'P_x' open"));
    EXPECT_THAT(message("units=0,2"), testing::HasSubstr("whole numbers of at least 1, found '0'"));
    EXPECT_THAT(message("unit=1,2"), testing::HasSubstr("did you mean 'units'"));
}

// Recorded designs of the public exploration (MAESTRO at e300c1b and e1eab62): mm2 and mW of its own run.
TEST(AcceleratorCost, IsThatOfRecordedDesigns) {
    struct Recorded {
        Accelerator accelerator;
        double area_mm2;
        double power_mw;
    };
    for (const Recorded& one :
         {Recorded{{56, 1, 662, 2648, 68}, 10.62553895, 256.1719698},
          Recorded{{88, 1, 174, 7134, 68}, 14.84936298, 245.1671804},
          Recorded{{9, 1, 10998, 6921, 68}, 8.183619761, 365.8895032},  // the arbiter at its minimum
          Recorded{{136, 1, 306, 1517, 12}, 15.86328645, 348.1504629}}) {
        EXPECT_NEAR(area_mm2(one.accelerator), one.area_mm2, 1e-8);
        EXPECT_NEAR(power_mw(one.accelerator), one.power_mw, 1e-6);
    }
}

TEST(AcceleratorCost, GrowsWithEveryArgument) {
    Random random(3);
    for (int i = 0; i < 5000; ++i) {
        Accelerator small{random.between(1, 300), random.between(1, 8), random.between(0, 5000),
                          random.between(0, 500000), random.between(1, 100)};
        Accelerator large = small;
        std::int64_t* const parts[] = {&large.units, &large.vector_width, &large.l1_bytes, &large.l2_bytes,
                                       &large.noc_bytes_per_cycle};
        *parts[random.below(5)] += random.between(0, 1000);
        EXPECT_LE(area_mm2(small), area_mm2(large));
        EXPECT_LE(power_mw(small), power_mw(large));
    }
}

TEST(DataflowEvaluator, EnergiesOfBuffersFollowTheirSizes) {
    DataflowSubject given = subject();
    given.cost.l1_access = AccessCurve({{64, 1.0}, {256, 2.0}});
    given.cost.l2_access = AccessCurve({{1024, 8.0}});
    const Specification specification = specification_of({"units=8", "P_c=1..48+5", "P_k=1..64*2"}, {"area<6"});
    const Batch batch = all_of(given, specification, true, {0, 0, specification.space.size()});
    ASSERT_GT(batch.rows.size(), 20U);
    given.hardware.units = 8;
    for (const Row& row : batch.rows) {
        const auto number = [&](std::size_t knob) { return std::stoll(specification.space.value(row.point, knob)); };
        const dataflow::LayerCost cost = cost_of(given.layers[0], *given.layers[0].dataflow,
                                                 {{"P_c", number(1)}, {"P_k", number(2)}}, given.hardware);
        const dataflow::Accesses& accesses = cost.accesses;
        const double l1 = std::sqrt(static_cast<double>(cost.l1_bytes) / 64.0);  // twice for four times the bytes
        EXPECT_NEAR(row.values[0],
                    accesses.operations + l1 * (accesses.l1_reads.words() + accesses.l1_writes.words()) +
                        8.0 * (accesses.l2_reads.words() + accesses.l2_writes.words()),
                    1e-9 * row.values[0]);
    }
}

// However large the grid: batches are bounded, and their union is the whole.
TEST(DataflowEvaluator, BatchesAreBoundedAndTogetherTheyAreTheWhole) {
    const DataflowSubject given = subject();
    Specification specification =
        specification_of({"units=4..32*2", "P_c=1..12", "P_k=1..12", "noc=2..16*2"}, {"area<1"});
    const Batch whole = all_of(given, specification, true, {0, 0, specification.space.size()});
    DataflowEvaluator evaluator(given, specification, {.evaluated_together = 25});
    std::vector<Row> rows;
    Counts counts;
    for (Point lo = 0; lo < specification.space.size();) {
        const Batch batch = *evaluator.evaluate({0, lo, specification.space.size()}, StopSource());
        EXPECT_LE(batch.counts.evaluated, 25);
        ASSERT_GT(batch.counts.explored, 0);
        EXPECT_EQ(batch.counts.explored, batch.counts.evaluated + batch.counts.skipped);
        lo += batch.counts.explored;
        counts.add(batch.counts);
        rows.insert(rows.end(), batch.rows.begin(), batch.rows.end());
    }
    EXPECT_EQ(rows, whole.rows);
    EXPECT_EQ(counts.explored, specification.space.size());
    StopSource stopped;
    stopped.request();
    EXPECT_FALSE(evaluator.evaluate({0, 0, specification.space.size()}, stopped));
}

}  // namespace
}  // namespace tilewright::explore::dataflow_evaluator_test
