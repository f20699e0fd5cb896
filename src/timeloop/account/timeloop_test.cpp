#include "timeloop/account/timeloop.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace tilewright::account::timeloop_test {
namespace {

// A matrix-vector product O[m] += W[m,k] * V[k] and a 1-D convolution O[p] += W[r] * I[p+r].
enum { W, V, O };

Einsum matvec(std::int64_t m, std::int64_t k) {
    return {"matvec",
            {{"M", m}, {"K", k}},
            {{"W", {Rank{{{0, 1}}}, Rank{{{1, 1}}}}, false},
             {"V", {Rank{{{1, 1}}}}, false},
             {"O", {Rank{{{0, 1}}}}, true}}};
}

Einsum conv1d(std::int64_t p, std::int64_t r) {
    return {"conv1d",
            {{"P", p}, {"R", r}},
            {{"W", {Rank{{{1, 1}}}}, false}, {"I", {Rank{{{0, 1}, {1, 1}}}}, false}, {"O", {Rank{{{0, 1}}}}, true}}};
}

Memory memory(const std::string& name, std::int64_t instances) {
    Memory memory;
    memory.name = name;
    memory.instances = instances;
    memory.mesh = {instances, 1};
    memory.energy = {{1.0, "test"}, {1.0, "test"}, {1.0, "test"}, {0.0, "test"}};
    return memory;
}

/// DRAM over `units` compute units, each with a buffer of `words` words.
Architecture machine(std::int64_t units, std::int64_t words) {
    Architecture architecture;
    architecture.memories = {memory("DRAM", 1), memory("Buffer", units)};
    architecture.memories[1].capacity_words = words;
    architecture.compute.instances = units;
    architecture.compute.mesh = {units, 1};
    architecture.compute.energy_pj = {1.0, "test"};
    return architecture;
}

Loop loop(int dimension, std::int64_t extent, LoopKind kind = LoopKind::temporal) {
    return {dimension, extent, extent, kind};
}

Mapping two_levels(std::vector<Loop> outer, std::vector<Loop> spatial, std::vector<Loop> inner) {
    return mapping_of(
        {{TensorSet::all(3), std::move(outer), std::move(spatial)}, {TensorSet::all(3), std::move(inner), {}}});
}

TEST(Timeloop, AStationaryTileIsSentOnce) {
    // for M 4 { for K 8 }: V (8 words) stays in the buffer for all of M.
    const TimeloopResult result = timeloop(matvec(4, 8), machine(1, 100), two_levels({loop(0, 4)}, {}, {loop(1, 8)}));
    ASSERT_FALSE(result.refusal);
    EXPECT_EQ(result.computes, 32);
    EXPECT_EQ(result.cycles, 32);
    const std::vector<TimeloopTensor>& buffer = result.memories[1].tensors;
    EXPECT_EQ(buffer[V].fills, 8);
    EXPECT_EQ(buffer[V].reads, 32);
    EXPECT_EQ(buffer[W].fills, 32);
    EXPECT_EQ(buffer[O].updates, 32);
    EXPECT_EQ(buffer[O].reads, 28);  // no read before the first arrival of 4 elements
    EXPECT_EQ(result.memories[0].tensors[O].updates, 4);
    EXPECT_EQ(result.memories[0].tensors[O].reads, 0);
}

TEST(Timeloop, WithoutElisionEveryUpdateReadsFirst) {
    const TimeloopResult result = timeloop(matvec(4, 8), machine(1, 100), two_levels({loop(0, 4)}, {}, {loop(1, 8)}),
                                           {.first_read_elision = false});
    EXPECT_EQ(result.memories[1].tensors[O].reads, 32);
    EXPECT_EQ(result.memories[1].tensors[O].fills, 4);
}

TEST(Timeloop, ASlidingWindowSendsOnlyWhatIsNew) {
    // for P 4 { for P 2, R 3 }: tiles of 4 input words that overlap by 2.
    const Mapping mapping = two_levels({loop(0, 4)}, {}, {loop(0, 2), loop(1, 3)});
    const TimeloopResult result = timeloop(conv1d(8, 3), machine(1, 100), mapping);
    EXPECT_EQ(result.memories[1].tensors[1].tile_words, 4);
    EXPECT_EQ(result.memories[1].tensors[1].fills, 4 + 3 * 2);
}

TEST(Timeloop, OlderVersionsForgetTheHaloAfterAPause) {
    // for P 4 { for K 2 { ... } }: the input is stationary under K.
    Einsum einsum = conv1d(8, 3);
    einsum.dimensions.push_back({"K", 2});
    einsum.tensors[0].ranks.push_back(Rank{{{2, 1}}});
    einsum.tensors[2].ranks.push_back(Rank{{{2, 1}}});
    const Mapping mapping = two_levels({loop(0, 4), loop(2, 2)}, {}, {loop(0, 2), loop(1, 3)});
    EXPECT_EQ(timeloop(einsum, machine(1, 100), mapping).memories[1].tensors[1].fills, 4 + 3 * 2);
    EXPECT_EQ(timeloop(einsum, machine(1, 100), mapping, {.reuse_after_pause = false}).memories[1].tensors[1].fills,
              4 * 4);
}

TEST(Timeloop, EqualPartsAreOneAccessAndPartialSumsMeet) {
    // K over 4 units: W and V differ per unit, the partial sums of O are reduced on the way out.
    const Mapping mapping = two_levels({}, {loop(1, 4, LoopKind::spatial_x)}, {loop(0, 4), loop(1, 2)});
    const TimeloopResult result = timeloop(matvec(4, 8), machine(4, 100), mapping);
    ASSERT_EQ(result.networks.size(), 2U);
    const TimeloopFlow& sums = result.networks[0].tensors[O];
    EXPECT_EQ(sums.multicast, 4);
    EXPECT_EQ(sums.ingresses, 4.0);
    EXPECT_EQ(sums.spatial_reductions, 3 * 4);
    EXPECT_EQ(result.networks[0].name, "DRAM <==> Buffer");
    EXPECT_EQ(result.networks[0].tensors[V].multicast, 1);
    EXPECT_EQ(result.memories[0].tensors[V].reads, 8);
    EXPECT_EQ(result.compute_units_used, 4);
    EXPECT_EQ(result.cycles, 8);
    EXPECT_DOUBLE_EQ(result.utilization, 1.0);
}

TEST(Timeloop, NeighboursPassOnWhatTheyHadBefore) {
    // P over 4 units, R outside: unit i needs in step r + 1 the input of unit i + 1 in step r.
    const Mapping mapping = two_levels({loop(1, 3)}, {loop(0, 4, LoopKind::spatial_x)}, {});
    const TimeloopResult with = timeloop(conv1d(4, 3), machine(4, 100), mapping);
    const TimeloopResult without = timeloop(conv1d(4, 3), machine(4, 100), mapping, {.link_transfers = false});
    EXPECT_EQ(without.memories[0].tensors[1].reads, 12);
    EXPECT_EQ(with.memories[0].tensors[1].reads, 4 + 1 + 1);
    EXPECT_EQ(with.networks[0].tensors[1].link_transfers, 3 + 3);
}

TEST(Timeloop, AnOptionOfTheMappingSwitchesMulticastOff) {
    Mapping mapping = two_levels({}, {loop(1, 4, LoopKind::spatial_x)}, {loop(0, 4), loop(1, 2)});
    mapping.options.resize(2);
    mapping.options[0].no_multicast.add(O);
    const TimeloopResult result = timeloop(matvec(4, 8), machine(4, 100), mapping);
    EXPECT_EQ(result.networks[0].tensors[O].multicast, 1);
    EXPECT_EQ(result.networks[0].tensors[O].ingresses, 16.0);
}

TEST(Timeloop, ABypassedMemoryIsServedByTheOneOutside) {
    const Mapping mapping = mapping_of({{TensorSet::all(3), {loop(0, 4)}, {}}, {TensorSet::of(O), {loop(1, 8)}, {}}});
    const TimeloopResult result = timeloop(matvec(4, 8), machine(1, 1), mapping);
    ASSERT_FALSE(result.refusal) << result.refusal->message;
    EXPECT_FALSE(result.memories[1].tensors[V].kept);
    EXPECT_EQ(result.memories[0].tensors[V].reads, 32);
}

TEST(Timeloop, ImperfectNestsTakeTheCyclesOfTheirFullExtents) {
    // K = 7 as 2 x 4 with a remainder of 3.
    const Mapping mapping = two_levels({loop(1, 2)}, {}, {loop(0, 4), {1, 4, 3, LoopKind::temporal}});
    const TimeloopResult result = timeloop(matvec(4, 7), machine(1, 100), mapping);
    ASSERT_FALSE(result.refusal) << result.refusal->message;
    EXPECT_EQ(result.computes, 28);
    EXPECT_EQ(result.cycles, 32);
}

ViolationKind refusal(const Einsum& einsum, const Architecture& architecture, const Mapping& mapping) {
    const TimeloopResult result = timeloop(einsum, architecture, mapping);
    if (!result.refusal) throw std::runtime_error("not refused");
    return result.refusal->kind;
}

TEST(Timeloop, RefusesInTimeloopsOrder) {
    const Loop k8 = loop(1, 8);
    const Loop over_k = loop(1, 8, LoopKind::spatial_x);
    EXPECT_EQ(refusal(matvec(4, 8), machine(1, 100), two_levels({loop(0, 3)}, {}, {k8})),
              ViolationKind::factor_product);
    EXPECT_EQ(refusal(matvec(4, 8), machine(4, 100), two_levels({loop(0, 4)}, {over_k}, {})), ViolationKind::instances);
    EXPECT_EQ(refusal(matvec(4, 8), machine(1, 16), two_levels({loop(0, 4)}, {}, {k8})), ViolationKind::capacity);
    EXPECT_EQ(refusal(matvec(4, 8), machine(1, 100), Mapping{}), ViolationKind::nest);
    Mapping nowhere = mapping_of({{TensorSet::of(O), {loop(0, 4)}, {}}, {TensorSet::of(O), {k8}, {}}});
    EXPECT_EQ(refusal(matvec(4, 8), machine(1, 100), nowhere), ViolationKind::bypass);
    // Both the array and the buffer are too small: the array is named first.
    EXPECT_EQ(timeloop(matvec(4, 8), machine(4, 1), two_levels({loop(0, 4)}, {over_k}, {})).refusal->level, "mac");
}

TEST(Timeloop, ASlowMemoryStretchesTheCycles) {
    Architecture architecture = machine(1, 100);
    architecture.memories[0].read_words_per_cycle = 0.5;
    const TimeloopResult result = timeloop(matvec(4, 8), architecture, two_levels({loop(0, 4)}, {}, {loop(1, 8)}));
    EXPECT_EQ(result.cycles, 80);  // 40 words at half a word per cycle
    EXPECT_EQ(result.memories[0].bound, Bound::read_bandwidth);
}

TEST(ToEvaluation, AddsUpToTheSameEnergyOverAllInstances) {
    const Architecture architecture = machine(4, 100);
    const Mapping mapping = two_levels({}, {loop(1, 4, LoopKind::spatial_x)}, {loop(0, 4), loop(1, 2)});
    const TimeloopResult result = timeloop(matvec(4, 8), architecture, mapping);
    const Evaluation evaluation = to_evaluation(result, architecture);
    double energy = evaluation.compute_energy_pj;
    for (const MemoryEvaluation& memory : evaluation.memories) energy += memory.energy_pj + memory.link_energy_pj;
    EXPECT_DOUBLE_EQ(energy, evaluation.energy_pj);
    EXPECT_EQ(evaluation.memories[1].tensors[V].fills, 8.0);
    EXPECT_EQ(evaluation.memories[0].link[O].words, 4.0);
    EXPECT_EQ(evaluation.memories[0].link[O].delivered, 16.0);
    EXPECT_EQ(evaluation.cycles, result.cycles);
}

TEST(Timeloop, ABlockTooLargeToLayOutIsRefused) {
    const std::int64_t huge = std::int64_t{1} << 40;
    const Mapping mapping = two_levels({}, {loop(1, huge, LoopKind::spatial_x)}, {loop(0, 4)});
    EXPECT_EQ(refusal(matvec(4, huge), machine(huge, 100), mapping), ViolationKind::nest);
}

TEST(Timeloop, AHugeLayerIsAnOverflowNotAWrongNumber) {
    const std::int64_t huge = std::int64_t{1} << 40;
    EXPECT_THROW(timeloop(matvec(huge, huge), machine(1, 100), two_levels({loop(0, huge)}, {}, {loop(1, huge)})),
                 std::overflow_error);
}

}  // namespace
}  // namespace tilewright::account::timeloop_test
