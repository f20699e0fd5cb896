// The lean evaluator with repacking blocks: two spatial loops with remainders, the inner one moving instances.
#include <gtest/gtest.h>

#include "base/numbers/checked.hpp"
#include "model/exact/model.hpp"
#include "model/lean/lean.hpp"

namespace tilewright::joint_test {
namespace {

enum Dimensions { kK, kC, kP, kR };

Tensor tensor_of(std::string name, std::vector<Rank> ranks, bool written = false) {
    return {std::move(name), std::move(ranks), written};
}

Rank rank_of(int dimension) { return {{{dimension, 1}}}; }

// O[k,p] += W[k,c,r] * I[c, 2p + r]
Einsum convolution() {
    Einsum einsum;
    einsum.name = "convolution";
    einsum.dimensions = {{"K", 11}, {"C", 7}, {"P", 5}, {"R", 3}};
    einsum.tensors = {tensor_of("W", {rank_of(kK), rank_of(kC), rank_of(kR)}),
                      tensor_of("I", {rank_of(kC), {{{kP, 2}, {kR, 1}}}}),
                      tensor_of("O", {rank_of(kK), rank_of(kP)}, true)};
    return einsum;
}

Memory memory_of(Mesh mesh, double energy_pj) {
    Memory memory;
    memory.mesh = mesh;
    memory.instances = mesh.size();
    memory.energy.read_pj.value = energy_pj;
    memory.energy.fill_pj.value = energy_pj / 3;
    memory.energy.update_pj.value = energy_pj / 7;
    return memory;
}

// A store, a buffer, 20 elements, and four lanes in each of them.
Architecture machine() {
    Architecture machine;
    machine.memories = {memory_of({}, 200.0), memory_of({}, 6.0), memory_of({20, 1}, 1.0), memory_of({20, 4}, 0.1)};
    machine.memories[1].read_words_per_cycle = 3.0;
    machine.compute.mesh = {20, 4};
    machine.compute.instances = 80;
    return machine;
}

// The remaining loops go to the store, outermost.
void finish(TilingPoint& point, const Einsum& einsum) {
    for (int d = 0; d < point.dimension_count(); ++d) {
        std::int64_t chunks = einsum.dimensions[d].extent;
        for (int l = point.level_count() - 1; l >= 0; --l) {
            chunks = ceil_div(chunks, point[l].spatial[d]);
            if (l > 0) chunks = ceil_div(chunks, point[l].temporal[d]);
        }
        point[0].temporal[d] = static_cast<std::int32_t>(chunks);
    }
}

void expect_agreement(const TilingPoint& point, const Einsum& einsum, const Architecture& machine) {
    const std::optional<Mapping> mapping = mapping_of(point, einsum);
    ASSERT_TRUE(mapping);
    const LeanCost cost = LeanEvaluator(einsum, machine).evaluate(point);
    ASSERT_TRUE(cost.valid());
    const Evaluation full = evaluate(einsum, machine, *mapping);
    EXPECT_EQ(cost.cycles, full.cycles);
    EXPECT_NEAR(cost.energy_pj, full.energy_pj, 1e-12 * full.energy_pj);
}

using Order = std::array<std::uint8_t, kMaxDimensions>;

TilingPoint point_of(const Order& order, const Order& spatial_order) {
    TilingPoint point(4, 4);
    for (int l = 0; l < 4; ++l) {
        point[l].order = order;
        for (std::size_t k = 0; k < 4; ++k) point[l].spatial_order[k] = {spatial_order[k], false};
        for (std::uint8_t d = 0; d < 4; ++d) point[l].spatial_order[4 + std::size_t{d}] = {d, true};
        point[l].keep = TensorSet::all(3);
    }
    return point;
}

TEST(LeanEvaluator, CountsBlocksThatRepack) {
    const Einsum einsum = convolution();
    const Architecture wide = machine();
    for (const Order& order : {Order{kK, kC, kP, kR}, Order{kP, kR, kC, kK}, Order{kR, kC, kK, kP}})
        for (const Order& spatial_order : {Order{kK, kC, kP, kR}, Order{kC, kK, kP, kR}, Order{kP, kC, kK, kR}})
            for (std::int32_t k = 2; k <= 5; ++k)
                for (std::int32_t c = 2; c <= 4; ++c)
                    for (std::int32_t p = 1; k * c * p <= 20 && p <= 2; ++p) {
                        TilingPoint point = point_of(order, spatial_order);
                        point[1].spread(kK, k, 1);
                        point[1].spread(kC, c, 1);
                        point[1].spread(kP, p, 1);
                        point[1].temporal[kC] = 2;
                        point[2].temporal[kR] = 2;
                        point[2].spread(kK, 1, 2);
                        point[2].spread(kR, 1, 2);
                        finish(point, einsum);
                        SCOPED_TRACE("k " + std::to_string(k) + ", c " + std::to_string(c) + ", p " +
                                     std::to_string(p));
                        ASSERT_NO_FATAL_FAILURE(expect_agreement(point, einsum, wide));
                    }
}

}  // namespace
}  // namespace tilewright::joint_test
