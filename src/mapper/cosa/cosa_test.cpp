#include "mapper/cosa/cosa.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <thread>

#include "mapping/tile.hpp"
#include "mapping/validity.hpp"
#include "workload/shapes.hpp"

namespace tilewright::cosa_test {
namespace {

using cosa::ProgramOptions;
using cosa::Schedule;
using cosa::schedule;

Memory memory(std::string name, Mesh mesh, std::int64_t words) {
    Memory m;
    m.name = std::move(name);
    m.mesh = mesh;
    m.instances = mesh.size();
    if (words > 0) m.capacity_words = words;
    m.energy.read_pj.value = m.energy.fill_pj.value = m.energy.update_pj.value = 1.0;
    return m;
}

// DRAM, a shared buffer, 4 x 2 processors with registers.
Architecture machine(std::int64_t buffer_words, std::int64_t register_words) {
    Architecture a;
    a.memories = {memory("DRAM", {1, 1}, 0), memory("Buffer", {1, 1}, buffer_words),
                  memory("Registers", {4, 2}, register_words)};
    a.compute.mesh = {4, 2};
    a.compute.instances = 8;
    return a;
}

Constraints keep_all(int tensors) {
    Constraints constraints;
    constraints.levels.resize(3);
    for (LevelConstraint& level : constraints.levels) level.must_keep = TensorSet::all(tensors);
    return constraints;
}

std::vector<Einsum> layers() {
    Convolution strided;
    strided.in_channels = 6;
    strided.out_channels = 8;
    strided.width = {7, 3, 2, 1};
    strided.height = {5, 3, 1, 2};
    return {conv2d(16, 16, 8, 3), conv2d(8, 12, 7, 1, 2), depthwise(12, 9, 3),
            gemm(10, 24, 36),     convolution(strided),   batched_matmul(3, 8, 10, 12)};
}

bool is_legal(const Einsum& einsum, const Architecture& architecture, const TilingPoint& point) {
    const std::optional<Mapping> mapping = mapping_of(point, einsum);
    return mapping && check(einsum, architecture, *mapping).empty();
}

TEST(Cosa, SchedulesAreLegalAndInTheMapspace) {
    for (const Einsum& einsum : layers())
        for (const std::int64_t words : {40, 600}) {
            const Architecture a = machine(words, 24);
            const Mapspace mapspace(einsum, a, {});
            for (const cosa::Variant variant :
                 {cosa::Variant::exact, cosa::Variant::as_printed, cosa::Variant::repaired}) {
                ProgramOptions options;
                options.variant = variant;
                const Schedule s = schedule(einsum, a, mapspace, options);
                ASSERT_EQ(s.status, mip::Status::optimal) << einsum.name;
                EXPECT_TRUE(mapspace.contains(*s.point)) << einsum.name;
                EXPECT_TRUE(!cosa::has_exact_tiles(variant) || is_legal(einsum, a, *s.point)) << einsum.name << words;
            }
        }
}

// (11) as printed in the paper, for a schedule with its network from memory 1, which keeps every tensor.
double printed_traffic(const Einsum& einsum, const TilingPoint& point) {
    double traffic = 0.0;
    for (const Tensor& tensor : einsum.tensors) {
        for (int d = 0; d < einsum.dimension_count(); ++d)
            if (is_relevant(tensor, d)) traffic += std::log2(point[2].temporal[d]) + std::log2(point[1].spatial[d]);
        bool seen = false;
        for (int rank = 0; rank < einsum.dimension_count(); ++rank) {
            const int d = point[1].order[rank];
            seen = seen || (point[1].temporal[d] > 1 && is_relevant(tensor, d));
            if (seen) traffic += std::log2(point[1].temporal[d]);
        }
    }
    return traffic;
}

TEST(Cosa, AsPrintedMinimisesTheSumThatThePaperPrints) {
    const Architecture a = machine(120, 24);
    for (const Einsum& einsum : layers()) {
        const Mapspace mapspace(einsum, a, keep_all(einsum.tensor_count()));
        ProgramOptions options;
        options.weights = {.utilization = 0.0, .compute = 10.0, .traffic = 1.0};
        const Schedule ours = schedule(einsum, a, mapspace, options);
        options.variant = cosa::Variant::as_printed;
        const Schedule printed = schedule(einsum, a, mapspace, options);
        ASSERT_TRUE(printed.point && ours.point) << einsum.name;
        EXPECT_TRUE(is_legal(einsum, a, *printed.point)) << einsum.name;
        EXPECT_NEAR(printed.terms.traffic, printed_traffic(einsum, *printed.point), 1e-6) << einsum.name;
        EXPECT_LE(printed.objective, 10.0 * ours.terms.compute + printed_traffic(einsum, *ours.point) + 1e-6)
            << einsum.name;
        // Loops outside the network cost nothing in it; if they cost, no sum is smaller.
        options.weights.outside = 2.0;
        EXPECT_GE(schedule(einsum, a, mapspace, options).objective, printed.objective - 1e-6) << einsum.name;
    }
}

TEST(Cosa, BothFormulationsHaveTheSameOptimum) {
    const Architecture a = machine(300, 24);
    for (const Einsum& einsum : {gemm(4, 6, 10), conv2d(3, 4, 4, 3), conv2d(2, 2, 6, 1, 2)}) {
        const Mapspace mapspace(einsum, a, {});
        for (const cosa::Orders orders : {cosa::Orders::hub, cosa::Orders::every}) {
            ProgramOptions options;
            options.orders = orders;
            options.weights = {0.1, 1.0, 1.0};  // compute weighs little, so that orders matter
            const Schedule counts = schedule(einsum, a, mapspace, options);
            options.formulation = cosa::Formulation::as_published;
            const Schedule binaries = schedule(einsum, a, mapspace, options);
            EXPECT_EQ(binaries.status, mip::Status::optimal);
            EXPECT_NEAR(counts.objective, binaries.objective, 1e-5) << einsum.name;
            EXPECT_GT(binaries.columns, counts.columns);
        }
    }
}

// The formulation again in plain code, for one mapping.
class PlainObjective {
   public:
    explicit PlainObjective(const Einsum& einsum) : einsum_(einsum) {}

    double of(const TilingPoint& point) const {
        return -0.1 * utilization(point) + 10.0 * compute(point) + traffic(point);
    }

   private:
    static constexpr int kHub = 1;

    double utilization(const TilingPoint& point) const {
        const std::vector<Extents> tiles = store_extents(einsum_, mapping_of(point));
        double sum = 0.0;
        for (int m = kHub; m < point.level_count(); ++m)
            for (const Tensor& tensor : einsum_.tensors)
                sum += std::log2(static_cast<double>(box_words(tensor, tiles[m])));
        return sum;
    }

    double compute(const TilingPoint& point) const {
        double sum = 0.0;
        for (int m = 0; m < point.level_count(); ++m)
            for (int d = 0; d < point.dimension_count(); ++d) sum += std::log2(point[m].temporal[d]);
        return sum;
    }

    double traffic(const TilingPoint& point) const {
        double sum = 0.0;
        for (const Tensor& tensor : einsum_.tensors) {
            for (int d = 0; d < point.dimension_count(); ++d)
                if (is_relevant(tensor, d))
                    sum +=
                        0.8 * std::log2(point[2].temporal[d] * point[2].spatial[d]) + std::log2(point[kHub].spatial[d]);
            sum += iterations(point[kHub], tensor, point.dimension_count());
            sum += 2.0 * iterations(point[0], tensor, point.dimension_count());
        }
        return sum;
    }

    // The loops of a memory without the innermost irrelevant ones.
    static double iterations(const TilingLevel& level, const Tensor& tensor, int dimensions) {
        double sum = 0.0;
        bool moved = false;
        for (int place = 0; place < dimensions; ++place) {
            const int d = level.order[place];
            moved = moved || (level.temporal[d] > 1 && is_relevant(tensor, d));
            if (moved) sum += std::log2(level.temporal[d]);
        }
        return sum;
    }

    const Einsum& einsum_;
};

// Least objective of all mappings accepted by the model.
double least_objective(const Einsum& einsum, const Architecture& a, const Mapspace& mapspace) {
    const LeanEvaluator evaluator(einsum, a);
    const PlainObjective plain(einsum);
    double least = INFINITY;
    mapspace.enumerate([&](const TilingPoint& point) {
        if (!evaluator.violation(point)) least = std::min(least, plain.of(point));
        return true;
    });
    return least;
}

Einsum small_strided_convolution() {
    Convolution shape;
    shape.in_channels = 2;
    shape.out_channels = 3;
    shape.width = {4, 3, 2, 1};
    return convolution(shape);
}

TEST(Cosa, NoLegalMappingHasASmallerObjective) {
    for (const Einsum& einsum : {small_strided_convolution(), gemm(4, 6, 4)}) {
        const Architecture a = machine(48, 14);
        const Mapspace mapspace(einsum, a, keep_all(einsum.tensor_count()));
        const double least = least_objective(einsum, a, mapspace);
        ProgramOptions options;
        options.orders = cosa::Orders::every;
        const Schedule s = schedule(einsum, a, mapspace, options);
        ASSERT_TRUE(s.point);
        EXPECT_NEAR(s.objective, least, 1e-6) << einsum.name;
        EXPECT_NEAR(PlainObjective(einsum).of(*s.point), least, 1e-6) << einsum.name;
    }
}

TEST(Cosa, MemoriesAreFilledAsFarAsTheyAskFor) {
    for (const Einsum& einsum : {small_strided_convolution(), gemm(4, 6, 4)})
        for (const auto& [buffer, registers] : {std::pair{0.6, 0.0}, {0.9, 0.9}, {0.0, 0.8}}) {
            Architecture a = machine(48, 14);
            a.memories[1].min_utilization = buffer;
            a.memories[2].min_utilization = registers;
            const Mapspace mapspace(einsum, a, keep_all(einsum.tensor_count()));
            const double least = least_objective(einsum, a, mapspace);
            for (const auto formulation : {cosa::Formulation::counts, cosa::Formulation::as_published}) {
                ProgramOptions options;
                options.orders = cosa::Orders::every;
                options.formulation = formulation;
                const Schedule s = schedule(einsum, a, mapspace, options);
                ASSERT_EQ(s.point.has_value(), std::isfinite(least)) << einsum.name << buffer << registers;
                if (!s.point) continue;
                EXPECT_TRUE(is_legal(einsum, a, *s.point)) << einsum.name << buffer << registers;
                EXPECT_NEAR(s.objective, least, 1e-6) << einsum.name << buffer << registers;
            }
        }
}

TEST(Cosa, AShareThatNoTileReachesHasNoSchedule) {
    const Einsum einsum = gemm(2, 2, 2);
    Architecture a = machine(1000, 14);
    a.memories[1].min_utilization = 0.5;
    const Schedule s = schedule(einsum, a, Mapspace(einsum, a, {}), {});
    EXPECT_EQ(s.status, mip::Status::infeasible);
}

// Too many pairs of divisors for a binary each: the product of the single lengths replaces the window's.
TEST(Cosa, WindowsOfManyDivisorsAreNeverTooLarge) {
    Convolution shape;
    shape.in_channels = 4;
    shape.out_channels = 6;
    shape.width = {5040, 16, 3, 2};  // 60 x 5 pairs
    const Einsum einsum = convolution(shape);
    for (const std::int64_t words : {60, 900, 20'000}) {
        const Architecture a = machine(words, 24);
        const Schedule s = schedule(einsum, a, Mapspace(einsum, a, keep_all(3)), {});
        ASSERT_EQ(s.status, mip::Status::optimal) << words;
        EXPECT_TRUE(is_legal(einsum, a, *s.point)) << words;
    }
}

TEST(Cosa, TheBalanceIsTheDifferenceOfTrafficAndCompute) {
    const Einsum einsum = gemm(8, 6, 10);
    const Architecture a = machine(300, 24);
    ProgramOptions options;
    options.goal = cosa::Goal::balance;
    options.weights = {0.0, 4.0, 1.0};
    const Schedule s = schedule(einsum, a, Mapspace(einsum, a, {}), options);
    EXPECT_NEAR(s.objective, std::abs(s.terms.traffic - 4.0 * s.terms.compute), 1e-6);
    options.goal = cosa::Goal::sum;
    const Schedule sum = schedule(einsum, a, Mapspace(einsum, a, {}), options);
    EXPECT_LE(s.objective, std::abs(sum.terms.traffic - 4.0 * sum.terms.compute) + 1e-6);
}

TEST(Cosa, WiderWordsTakeMoreRoom) {
    const Einsum einsum = gemm(64, 64, 64);
    const Architecture a = machine(1024, 24);
    const Mapspace mapspace(einsum, a, keep_all(3));
    ProgramOptions options;
    options.tensor_bits = {16, 16, 64};  // the memories' words have 16
    const Schedule s = schedule(einsum, a, mapspace, options);
    ASSERT_TRUE(s.point);
    const std::vector<Extents> tiles = store_extents(einsum, mapping_of(*s.point));
    const auto words = [&](int tensor) { return box_words(einsum.tensors[tensor], tiles[1]); };
    EXPECT_LE(words(0) + words(1) + 4 * words(2), 1024);
}

TEST(Cosa, PaddingFillsTheArray) {
    const Einsum einsum = gemm(13, 11, 17);  // nothing divides into 4 x 2 processors
    const Architecture a = machine(5000, 24);
    const Mapspace mapspace(einsum, a, {});
    ProgramOptions options;
    const Schedule bare = schedule(einsum, a, mapspace, options);
    options.pad = true;
    const Schedule padded = schedule(einsum, a, mapspace, options);
    ASSERT_TRUE(bare.point && padded.point);
    EXPECT_TRUE(is_legal(einsum, a, *padded.point));
    const LeanEvaluator evaluator(einsum, a);
    EXPECT_LT(evaluator.evaluate(*padded.point).cycles, evaluator.evaluate(*bare.point).cycles);
}

TEST(Cosa, CalibrationPrefersSchedulesToScores) {
    const std::vector<cosa::Trial> trials{
        {{0.1, 10.0, 1.0}, 4, 2.0}, {{0.3, 10.0, 1.0}, 3, 1.0}, {{0.1, 3.0, 1.0}, 4, 1.5}};
    EXPECT_EQ(cosa::best_trial(trials).weights, (cosa::Weights{0.1, 3.0, 1.0}));
    EXPECT_EQ(cosa::best_trial({trials[0], trials[0]}).weights, trials[0].weights);
}

TEST(CosaMapper, SaysWhatTheProgramCameTo) {
    const Einsum einsum = gemm(13, 16, 16);
    const Architecture a = machine(300, 24);
    ProgramOptions options;
    options.pad = true;
    const SearchResult found =
        CosaMapper(options).search(Mapspace(einsum, a, {}), LeanEvaluator(einsum, a), {}, Budget{});
    ASSERT_TRUE(found.best);
    EXPECT_EQ(found.stopped, StopReason::solved);
    EXPECT_EQ(found.statistics.evaluations, 1);
    EXPECT_THAT(found.remark, testing::HasSubstr("optimal; padded: N 13 -> 14: 1.08 times the iterations"));
}

TEST(CosaMapper, SaysWhyThereIsNoSchedule) {
    const Einsum einsum = gemm(16, 16, 16);
    const Architecture a = machine(300, 2);  // registers for three compulsory tensors have two words
    const SearchResult found =
        CosaMapper().search(Mapspace(einsum, a, keep_all(3)), LeanEvaluator(einsum, a), {}, Budget{});
    EXPECT_FALSE(found.best);
    EXPECT_THAT(found.remark, testing::HasSubstr("no solution"));
}

// The answer for a layer with many equal schedules when a limit ends the search.
SearchResult limited(const mip::Limits& limits, const Budget& budget = {}) {
    const Einsum einsum = conv2d(240, 240, 56, 3);
    const Architecture a = machine(60'000, 200);
    ProgramOptions options;
    options.orders = cosa::Orders::every;
    options.limits = limits;
    return CosaMapper(options).search(Mapspace(einsum, a, {}), LeanEvaluator(einsum, a), {}, budget);
}

testing::Matcher<std::string> says_reason_and_bound(const std::string& reason) {
    return testing::AnyOf(testing::HasSubstr("found no schedule: " + reason + "; none has an objective below "),
                          testing::AllOf(testing::HasSubstr(", at least "), testing::HasSubstr("(" + reason + ")")));
}

TEST(CosaMapper, NodesUsedUpLeaveABound) {
    mip::Limits limits;
    limits.nodes = 1;
    const SearchResult found = limited(limits);
    EXPECT_EQ(found.stopped, StopReason::evaluations);
    EXPECT_THAT(found.remark, says_reason_and_bound("the nodes are used up"));
}

TEST(CosaMapper, TimeThatIsUpLeavesABound) {
    Budget budget;
    budget.time = std::chrono::duration<double>(0.05);
    const SearchResult found = limited({}, budget);
    EXPECT_EQ(found.stopped, StopReason::time);
    EXPECT_THAT(found.remark, says_reason_and_bound("the time is up"));
}

TEST(CosaMapper, MemoryThatIsFullLeavesABound) {
    mip::Limits limits;
    limits.open_nodes = 1;
    EXPECT_THAT(limited(limits).remark, says_reason_and_bound("too many open nodes to remember"));
}

TEST(CosaMapper, AnInterruptionSaysSo) {
    StopSource stop;
    stop.request();
    Budget budget;
    budget.stop = &stop;
    const SearchResult found = limited({}, budget);
    EXPECT_EQ(found.stopped, StopReason::interrupted);
    EXPECT_FALSE(found.best);
    EXPECT_THAT(found.remark, says_reason_and_bound("interrupted"));
}

// The binaries of every memory's ranks keep the solver at cuts for a minute or two before its first node.
TEST(CosaMapper, AnInterruptionNeedNotWaitForANode) {
    const Einsum einsum = conv2d(240, 240, 56, 3);
    const Architecture a = machine(60'000, 200);
    ProgramOptions options;
    options.formulation = cosa::Formulation::as_published;
    options.orders = cosa::Orders::every;
    StopSource stop;
    Budget budget;
    budget.stop = &stop;
    std::thread user([&stop] {
        std::this_thread::sleep_for(std::chrono::milliseconds(300));
        stop.request();
    });
    const SearchResult found =
        CosaMapper(options).search(Mapspace(einsum, a, {}), LeanEvaluator(einsum, a), {}, budget);
    user.join();
    EXPECT_EQ(found.stopped, StopReason::interrupted);
    EXPECT_THAT(found.remark, testing::HasSubstr("none has an objective below"));
}

}  // namespace
}  // namespace tilewright::cosa_test
