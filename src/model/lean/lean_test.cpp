// The lean evaluator against check() and evaluate(), over random layers, machines and mappings.
#include "model/lean/lean.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "base/numbers/checked.hpp"
#include "base/numbers/factors.hpp"
#include "base/numbers/random.hpp"
#include "mapping/validity.hpp"
#include "model/exact/model.hpp"
#include "workload/einsum_text.hpp"

namespace tilewright::lean_test {
namespace {

Tensor tensor_of(std::string name, std::vector<Rank> ranks, bool written = false) {
    return {std::move(name), std::move(ranks), written};
}

Rank rank_of(int dimension, std::int64_t coefficient = 1) { return {{{dimension, coefficient}}}; }

Rank window_of(int slow, std::int64_t stride, int fast, std::int64_t dilation) {
    return {{{slow, stride}, {fast, dilation}}};
}

// C, K, P, R, Q, S with random strides; sometimes a transposed convolution (windows in the written tensor), sometimes a
// dimension moving two ranks of one tensor.
Einsum random_einsum(Random& random) {
    constexpr std::int64_t extents[] = {1, 2, 3, 4, 4, 6, 8, 9, 12};
    Einsum einsum;
    einsum.name = "random";
    for (const char* name : {"C", "K", "P", "R", "Q", "S"})
        einsum.dimensions.push_back({name, extents[random.below(std::size(extents))]});
    const auto factor = [&random] { return random.between(1, 3) * (random.chance(0.15) ? -1 : 1); };
    std::vector<Rank> windows{rank_of(0), window_of(2, factor(), 3, factor()), window_of(4, factor(), 5, factor())};
    if (random.chance(0.1)) windows.push_back(rank_of(2, 2));
    std::vector<Rank> plain{rank_of(1), rank_of(2, random.between(1, 2)), rank_of(4)};
    const bool transposed = random.chance(0.15);
    einsum.tensors = {tensor_of("W", {rank_of(0), rank_of(1), rank_of(3), rank_of(5)}),
                      tensor_of("I", windows, transposed), tensor_of("O", plain, !transposed)};
    if (random.chance(0.3))
        for (Tensor& tensor : einsum.tensors) tensor.bits = 4 * random.between(0, 9);
    return einsum;
}

Memory random_memory(Random& random, int index) {
    Memory memory;
    memory.name = "memory" + std::to_string(index);
    memory.energy.read_pj.value = static_cast<double>(random.between(0, 100)) / 7.0;
    memory.energy.fill_pj.value = static_cast<double>(random.between(0, 100)) / 7.0;
    memory.energy.update_pj.value = static_cast<double>(random.between(0, 100)) / 7.0;
    if (random.chance(0.2)) memory.energy.leak_pj_per_cycle.value = 0.37;
    if (random.chance(0.3)) memory.address_energy_pj = 0.21;
    if (random.chance(0.6)) memory.capacity_words = std::int64_t{1} << random.between(2, 14);
    if (random.chance(0.2)) memory.multiple_buffering = 2.0;
    if (random.chance(0.1)) memory.min_utilization = 0.05;
    memory.block_words = std::int64_t{1} << random.below(4);
    if (random.chance(0.3)) memory.read_words_per_cycle = static_cast<double>(random.between(1, 16)) / 4.0;
    if (random.chance(0.3)) memory.write_words_per_cycle = static_cast<double>(random.between(1, 16)) / 4.0;
    if (random.chance(0.2)) memory.shared_words_per_cycle = static_cast<double>(random.between(1, 16)) / 4.0;
    if (random.chance(0.2)) memory.bandwidth_scale["W"] = 0.5;
    memory.reduces = random.chance(0.7);
    return memory;
}

Link random_link(Random& random) {
    constexpr NetworkKind kinds[] = {NetworkKind::legacy, NetworkKind::legacy, NetworkKind::simple_multicast,
                                     NetworkKind::reduction_tree};
    Link link;
    link.kind = kinds[random.below(4)];
    link.energy_per_hop_pj = static_cast<double>(random.between(0, 5)) / 3.0;
    link.router_energy_pj = static_cast<double>(random.between(0, 2)) / 3.0;
    link.adder_energy_pj = 0.11;
    if (link.kind == NetworkKind::simple_multicast) link.multicast_energy_pj = {{1, 0.5}, {2, 0.7}, {4, 0.9}};
    link.fill_latency_cycles = random.between(0, 3);
    link.drain_latency_cycles = random.between(0, 3);
    return link;
}

Architecture random_architecture(Random& random) {
    Architecture machine;
    machine.name = "random";
    const int memories = static_cast<int>(random.between(1, 5));
    Mesh mesh;
    const bool wired = random.chance(0.4);
    for (int i = 0; i < memories; ++i) {
        Memory memory = random_memory(random, i);
        memory.mesh = mesh;
        memory.instances = mesh.size();
        if (mesh.size() % 2 == 0 && random.chance(0.3)) memory.cluster_size = 2;
        if (i > 0 && random.chance(0.1)) memory.power_gated_at = "memory0";
        if (wired) memory.link = random_link(random);
        if (wired && random.chance(0.2)) memory.update_link = random_link(random);
        machine.memories.push_back(memory);
        if (random.chance(0.6)) mesh.x *= random.between(1, 4);
        if (random.chance(0.4)) mesh.y *= random.between(1, 4);
    }
    machine.compute.mesh = mesh;
    machine.compute.instances = mesh.size();
    machine.compute.energy_pj.value = 0.9;
    if (random.chance(0.1)) machine.compute.leak_pj_per_cycle.value = 0.01;
    return machine;
}

template <typename Order>
void shuffle(Random& random, Order& order, int count) {
    for (int i = count - 1; i > 0; --i) std::swap(order[i], order[random.below(static_cast<std::uint64_t>(i) + 1)]);
}

// Deals the prime factors of every dimension to random loops, mostly spatial while there is room; some lie along both
// axes of a fan-out, with other loops between.
TilingPoint random_point(Random& random, const Einsum& einsum, const Architecture& machine) {
    TilingPoint point(machine.memory_count(), einsum.dimension_count());
    for (int l = 0; l < point.level_count(); ++l) {
        shuffle(random, point[l].order, einsum.dimension_count());
        shuffle(random, point[l].spatial_order, 2 * einsum.dimension_count());
        for (int t = 0; t < einsum.tensor_count(); ++t)
            if (random.chance(l == 0 ? 0.97 : 0.6)) point[l].keep.add(t);
    }
    for (int d = 0; d < einsum.dimension_count(); ++d)
        for (const PrimePower& factor : prime_factors(einsum.dimensions[d].extent))
            for (int k = 0; k < factor.power; ++k) {
                const int l = static_cast<int>(random.below(static_cast<std::uint64_t>(point.level_count())));
                const Mesh room = machine.fanout(l);
                const bool along_y = random.chance(0.5);
                const bool fits = (along_y ? room.y : room.x) >= factor.prime;
                const auto prime = static_cast<std::int32_t>(factor.prime);
                TilingLevel& level = point[l];
                if (!fits || random.chance(0.4))
                    level.temporal[d] *= prime;
                else
                    level.spread(d, level.along_x[d] * (along_y ? 1 : prime), level.along_y[d] * (along_y ? prime : 1));
            }
    return point;
}

TEST(LeanEvaluator, AgreesWithTheFullEvaluationOnRandomPerfectMappings) {
    Random random(2026);
    std::map<std::string, int> verdicts;
    for (int round = 0; round < 3000; ++round) {
        const Einsum einsum = random_einsum(random);
        const Architecture machine = random_architecture(random);
        ASSERT_EQ(problem_with(einsum), "");
        ASSERT_EQ(problem_with(machine), "");
        const LeanEvaluator lean(einsum, machine);
        LeanScratch scratch;
        for (int i = 0; i < 10; ++i) {
            const TilingPoint point = random_point(random, einsum, machine);
            const Mapping mapping = mapping_of(point);
            const LeanCost cost = lean.evaluate(point);
            const std::vector<Violation> violations = check(einsum, machine, mapping);
            ++verdicts[violations.empty() ? "valid" : violation_kind_name(violations.front().kind)];
            ASSERT_EQ(cost.valid(), violations.empty()) << "round " << round << ": " << violations.front().message;
            EXPECT_EQ(lean.violation(point), cost.violation);
            if (!cost.valid()) {
                EXPECT_EQ(violation_kind_name(*cost.violation), violation_kind_name(violations.front().kind));
                continue;
            }
            for (int again = 0; again < 2; ++again)
                EXPECT_EQ(lean.evaluate(point, scratch).energy_pj, cost.energy_pj)
                    << "what was kept is what was computed";
            const Evaluation full = evaluate(einsum, machine, mapping);
            ASSERT_EQ(cost.cycles, full.cycles) << "round " << round << ", mapping " << i;
            ASSERT_NEAR(cost.energy_pj, full.energy_pj, 1e-12 * std::abs(full.energy_pj))
                << "round " << round << ", mapping " << i;
        }
    }
    EXPECT_GT(verdicts["valid"], 5000);
    for (const char* kind : {"capacity", "fanout_x", "fanout_y", "bypass", "min_utilization"})
        EXPECT_GT(verdicts[kind], 20) << kind;
}

TEST(LeanEvaluator, RefusesLayersItCannotCountExactly) {
    Einsum einsum;
    einsum.dimensions = {{"M", std::int64_t{1} << 40}, {"N", std::int64_t{1} << 20}};
    einsum.tensors = {tensor_of("A", {rank_of(0)}), tensor_of("O", {rank_of(0), rank_of(1)}, true)};
    Architecture machine;
    machine.memories.resize(1);
    EXPECT_THROW(LeanEvaluator(einsum, machine), OverflowError);
}

}  // namespace
}  // namespace tilewright::lean_test
