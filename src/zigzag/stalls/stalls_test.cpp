// Each fault of ZigZag's latency model (docs/zigzag.md) and our count instead.
#include "zigzag/stalls/stalls.hpp"

#include <gtest/gtest.h>

#include <set>
#include <variant>

#include "fixtures/zigzag_problem.hpp"
#include "fixtures/zigzag_sample.hpp"
#include "zigzag/accounting/nest.hpp"
#include "zigzag/stalls/tiles.hpp"

namespace tilewright::stalls::stalls_test {
namespace {

using namespace zigzag::sample;
using enum zigzag::Direction;
using enum zigzag::MemoryOperand;
using zigzag::Accelerator;
using zigzag::Layer;
using zigzag::UnevenMapping;

/// All loops at the top memory except the first list, at level 0 of each operand.
UnevenMapping mapping_of(const Accelerator& accelerator, const Layer& layer, const zigzag::LevelLoops& inner,
                         const zigzag::LevelLoops& outer) {
    UnevenMapping mapping;
    for (const zigzag::Operand& operand : layer.operands) {
        auto& levels = mapping.operands.emplace_back(accelerator.level_count(operand.memory));
        levels.front() = inner;
        levels.back().insert(levels.back().end(), outer.begin(), outer.end());
    }
    return mapping;
}

zigzag::Result as_zigzag(const Accelerator& accelerator, const Layer& layer, const zigzag::ArrayUnrolling& unrolling,
                         const UnevenMapping& mapping) {
    return zigzag::evaluate(accelerator, layer, spatial_pair(accelerator, layer, unrolling), mapping);
}

const zigzag::PortActivity* find(const std::vector<zigzag::PortCost>& ports, int memory, int operand,
                                 zigzag::Direction direction) {
    for (const zigzag::PortCost& port : ports)
        for (const zigzag::PortActivity& activity : port.activities)
            if (port.memory == memory && activity.operand == operand && activity.direction == direction)
                return &activity;
    return nullptr;
}

enum Memories { rf_i, rf_w, rf_o, buffer, dram };

TEST(Stalls, IterationsAreNoCeilingOfARoundedQuotient) {
    const Layer layer = convolution({1, 1, 1, 34, 1, 1, 1});
    const Accelerator accelerator = array_of(5, 1);
    const zigzag::ArrayUnrolling unrolling{{{OY, 5}}, {}};
    const UnevenMapping mapping = mapping_of(accelerator, layer, {}, {{OY, 8}});  // ZigZag's value of 34 / (34/7)
    ASSERT_EQ(zigzag::temporal_loops(layer, spatial_pair(accelerator, layer, unrolling).fractional),
              (std::vector<zigzag::TemporalLoop>{{OY, 8}}));
    EXPECT_EQ(as_zigzag(accelerator, layer, unrolling, mapping).latency.ideal_temporal_cycles, 8);
    EXPECT_EQ(latency(accelerator, layer, unrolling, mapping).latency.ideal_temporal_cycles, 7);
}

TEST(Stalls, TheBusiestUnitCountsNotATruncatedOne) {
    const Layer layer = convolution({1, 1, 1, 55, 1, 1, 1});
    Accelerator accelerator = array_of(14, 1);
    accelerator.memories[buffer].ports[0].bandwidth_max_bits = 8;
    accelerator.memories[buffer].ports[0].bandwidth_min_bits = 8;
    const zigzag::ArrayUnrolling unrolling{{{OY, 14}}, {}};
    const UnevenMapping mapping = mapping_of(accelerator, layer, {}, {{OY, 4}});
    const auto drained = [](const std::vector<zigzag::PortCost>& ports) {
        return find(ports, buffer, 0, write_from_below)->transfer.real_cycles;
    };
    EXPECT_EQ(drained(as_zigzag(accelerator, layer, unrolling, mapping).ports), 13);
    EXPECT_EQ(drained(latency(accelerator, layer, unrolling, mapping).ports), 14);
    const zigzag::SpatialMapping covering =
        spatial_mapping(accelerator, layer, unrolling, zigzag::UnrollRounding::covering);
    const Extents executed = executed_iterations(layer, covering, mapping);
    EXPECT_EQ(executed[OY], 4);
    Extents one;
    one.fill(1);
    EXPECT_EQ(elements_of(layer, layer.operands[0], one, covering.loops[0], 2), 14);
    EXPECT_EQ(elements_of(layer, layer.operands[0], executed, covering.loops[0], 2), 55);  // and no more than there are
}

TEST(Stalls, DilatedWindowsAreCountedExactly) {
    for (std::int64_t s = 1; s <= 4; ++s)
        for (std::int64_t d = 1; d <= 4; ++d)
            for (std::int64_t a = 1; a <= 5; ++a)
                for (std::int64_t b = 1; b <= 5; ++b) {
                    std::set<std::int64_t> met;
                    for (std::int64_t i = 0; i < a; ++i)
                        for (std::int64_t j = 0; j < b; ++j) met.insert(s * i + d * j);
                    Extents tile;
                    tile.fill(1);
                    tile[OX] = a;
                    tile[FX] = b;
                    const zigzag::DimensionRelation window{"IX", OX, s, FX, d, 0, 1000};
                    EXPECT_EQ(positions(window, tile), static_cast<std::int64_t>(met.size()))
                        << "stride " << s << ", dilation " << d << ", " << a << " x " << b;
                }
}

TEST(Stalls, PartialSumsAreNotReadBeforeThereAreAny) {
    const Layer layer = convolution({1, 6, 8, 1, 1, 1, 1});
    const Accelerator accelerator = array_of(1, 1);
    const UnevenMapping mapping = mapping_of(accelerator, layer, {}, {{K, 6}, {C, 8}});
    const auto read_back = [](const std::vector<zigzag::PortCost>& ports) {
        return find(ports, dram, 0, read_down)->transfer.count;
    };
    EXPECT_EQ(read_back(as_zigzag(accelerator, layer, {{}, {}}, mapping).ports), 48);
    EXPECT_EQ(read_back(latency(accelerator, layer, {{}, {}}, mapping).ports), 42);
}

TEST(Stalls, NothingHidesMoreThanItself) {
    std::vector<double> zigzags{100.0, 90.0};
    const std::vector<double> least{80.0, 5.0};
    zigzag::hide_in_surplus(zigzags, least, 150.0);
    EXPECT_LT(zigzags[0], least[0]);  // pushed below by its neighbour
    std::vector<double> ours{100.0, 90.0};
    hide(ours, least, 150.0);
    EXPECT_EQ(ours, (std::vector<double>{80.0, 5.0}));
}

TEST(Stalls, SpareCyclesGoToTheLongestTransfersEvenly) {
    std::vector<double> cycles{10.0, 30.0, 20.0};
    hide(cycles, {0.0, 0.0, 0.0}, 20.0);
    EXPECT_EQ(cycles, (std::vector<double>{10.0, 15.0, 15.0}));
    hide(cycles, {0.0, 0.0, 0.0}, 16.0);
    EXPECT_EQ(cycles, (std::vector<double>{8.0, 8.0, 8.0}));
    hide(cycles, {7.0, 0.0, 0.0}, 1000.0);
    EXPECT_EQ(cycles, (std::vector<double>{7.0, 0.0, 0.0}));
}

TEST(Stalls, SpareBandwidthIsWhatThePortReallyHas) {
    const Layer layer = convolution({1, 6, 8, 1, 1, 1, 1});
    Accelerator accelerator = array_of(1, 1);
    accelerator.memories[dram].ports[0].bandwidth_max_bits = 8;
    accelerator.memories[dram].ports[0].bandwidth_min_bits = 8;
    UnevenMapping mapping = mapping_of(accelerator, layer, {}, {{K, 6}, {C, 8}});
    std::swap(mapping.operands[2][1], mapping.operands[2][2]);  // the buffer holds all eight inputs
    // The stalls leave the DRAM's port idle long enough to load seven of the eight inputs; ZigZag takes it to be as
    // busy in a stall as in computation.
    const zigzag::Latency ours = latency(accelerator, layer, {{}, {}}, mapping).latency;
    const std::int64_t busy = 48 + 2 * (48 + 42);
    EXPECT_GE(ours.computation(), busy + 7);
    EXPECT_EQ(ours.onloading_cycles, 2.0);
    EXPECT_EQ(as_zigzag(accelerator, layer, {{}, {}}, mapping).latency.onloading_cycles, 9.0);
}

/// Inputs share a memory between memories of their own: three boundaries half share a port.
Accelerator with_shared_middle() {
    Accelerator accelerator;
    accelerator.name = "middle";
    accelerator.array = {{"D1", 1}};
    accelerator.memories = {memory("rf_i", 64, 8, {i1}, {}),
                            memory("rf_w", 64, 8, {i2}, {}),
                            memory("rf_o", 128, 16, {o}, {}),
                            memory("middle", 4096, 8, {i1, i2}, {0}),
                            memory("own_i", 4096, 8, {i1}, {0}),
                            memory("own_w", 4096, 8, {i2}, {0}),
                            memory("dram", 1 << 20, 8, {i1, i2, o}, {0})};
    derive(accelerator);
    return accelerator;
}

TEST(Stalls, EveryHalfSharedBoundaryCounts) {
    const Layer layer = convolution({1, 6, 8, 1, 1, 1, 1});
    const Accelerator accelerator = with_shared_middle();
    const UnevenMapping mapping = mapping_of(accelerator, layer, {}, {{C, 8}, {K, 6}});
    // Each of the three boundaries passes one word at a time: three cycles to the first.
    EXPECT_EQ(as_zigzag(accelerator, layer, {{}}, mapping).latency.onloading_cycles, 1.0);
    EXPECT_EQ(latency(accelerator, layer, {{}}, mapping).latency.onloading_cycles, 3.0);
}

TEST(Stalls, MemoriesHaveLatencies) {
    const Layer layer = convolution({1, 6, 8, 1, 1, 1, 1});
    Accelerator accelerator = with_shared_middle();
    const UnevenMapping mapping = mapping_of(accelerator, layer, {}, {{C, 8}, {K, 6}});
    for (zigzag::SharedMemory& memory : accelerator.memories) memory.latency_cycles = 10;
    EXPECT_EQ(latency(accelerator, layer, {{}}, mapping).latency.onloading_cycles, 43.0);
}

TEST(Stalls, BothEndsOfATransferHaveToKeepUp) {
    const Layer layer = convolution({1, 6, 8, 1, 1, 1, 1});
    Accelerator accelerator = array_of(1, 1);
    accelerator.memories[rf_w].ports[0].bandwidth_max_bits = 2;  // four cycles for a weight
    derive(accelerator);
    const UnevenMapping mapping = mapping_of(accelerator, layer, {}, {{C, 8}, {K, 6}});
    const auto at_dram = [](const std::vector<zigzag::PortCost>& ports) {
        return find(ports, dram, 1, read_down)->transfer.real_cycles;
    };
    EXPECT_EQ(at_dram(as_zigzag(accelerator, layer, {{}, {}}, mapping).ports), 1);
    EXPECT_EQ(at_dram(latency(accelerator, layer, {{}, {}}, mapping).ports), 4);
}

TEST(Stalls, LoopsOverAWindowStream) {
    const Layer layer = convolution({1, 1, 1, 1, 16, 1, 3});
    Accelerator accelerator = array_of(1, 1);
    accelerator.memories[rf_i].size_bits = 18 * 8 + 32;  // all 18 positions once, plus three twice
    const UnevenMapping mapping = mapping_of(accelerator, layer, {{FX, 3}, {OX, 16}}, {});
    EXPECT_FALSE(as_zigzag(accelerator, layer, {{}, {}}, mapping).levels[2][0].double_buffered);
    EXPECT_TRUE(latency(accelerator, layer, {{}, {}}, mapping).double_buffered[2][0]);
}

TEST(Stalls, ForcedDoubleBuffersAreThereOrLacking) {
    const Layer layer = convolution({1, 6, 8, 1, 1, 1, 1});
    Accelerator accelerator = array_of(1, 1);
    const UnevenMapping mapping = mapping_of(accelerator, layer, {{C, 8}, {K, 6}}, {});
    EXPECT_EQ(latency(accelerator, layer, {{}, {}}, mapping).refusal, "");
    accelerator.memories[rf_w].force_double_buffering = true;  // 48 weights of 8 bits in 512
    EXPECT_EQ(latency(accelerator, layer, {{}, {}}, mapping).refusal,
              "memory 'rf_w' lacks 256 bits for the double buffers that it is to have");
    accelerator.memories[rf_w].size_bits = 768;
    EXPECT_TRUE(latency(accelerator, layer, {{}, {}}, mapping).double_buffered[1][0]);
}

TEST(Stalls, LatencyIsBoundedBelowAndWiderPortsNeverHurt) {
    Random random(7);
    int fitting = 0;
    for (int i = 0; i < 400; ++i) {
        zigzag::RandomProblem problem = zigzag::random_problem(random);
        const auto allocated = allocate(problem.machine, problem.layer, problem.fractional,
                                        problem.random_order(random), problem.evenness);
        if (!std::holds_alternative<UnevenMapping>(allocated)) continue;
        ++fitting;
        const auto& mapping = std::get<UnevenMapping>(allocated);
        const Result narrow = latency(problem.machine, problem.layer, problem.unrolling, mapping);
        ASSERT_EQ(narrow.refusal, "");
        EXPECT_GE(narrow.latency.ideal_temporal_cycles, narrow.latency.ideal_cycles);
        EXPECT_GE(narrow.latency.stall_cycles, 0);
        EXPECT_GE(narrow.latency.onloading_cycles, 0.0);
        EXPECT_GE(narrow.latency.offloading_cycles, 0.0);
        for (zigzag::SharedMemory& memory : problem.machine.memories)
            for (zigzag::Port& port : memory.ports) port.bandwidth_max_bits *= 4;
        const Result wide = latency(problem.machine, problem.layer, problem.unrolling, mapping);
        EXPECT_EQ(wide.latency.ideal_temporal_cycles, narrow.latency.ideal_temporal_cycles);
        EXPECT_LE(wide.latency.stall_cycles, narrow.latency.stall_cycles);
    }
    EXPECT_GT(fitting, 100);
}

TEST(Stalls, WhereZigzagIsRightWeAgree) {
    // Stationary reduction, integer factors, no windows, one port width.
    const Layer layer = convolution({4, 6, 1, 1, 1, 1, 1});
    const Accelerator accelerator = array_of(2, 1);
    const zigzag::ArrayUnrolling unrolling{{{K, 2}}, {}};
    const UnevenMapping mapping = mapping_of(accelerator, layer, {{B, 4}}, {{K, 3}});
    const zigzag::Latency theirs = as_zigzag(accelerator, layer, unrolling, mapping).latency;
    const zigzag::Latency ours = latency(accelerator, layer, unrolling, mapping).latency;
    EXPECT_EQ(ours.ideal_temporal_cycles, theirs.ideal_temporal_cycles);
    EXPECT_EQ(ours.stall_cycles, theirs.stall_cycles);
    EXPECT_EQ(ours.onloading_cycles, theirs.onloading_cycles);
    EXPECT_EQ(ours.offloading_cycles, theirs.offloading_cycles);
}

}  // namespace
}  // namespace tilewright::stalls::stalls_test
