#include "certificate/codesign/network_floor.hpp"

#include <gtest/gtest.h>

#include "fixtures/small_machine.hpp"
#include "mapper/optimal/optimal.hpp"
#include "mapspace/mapspace.hpp"
#include "workload/shapes.hpp"

namespace tilewright::certificate::layer_proof_test {
namespace {

// Bandwidth binds in many mappings, wires cost energy, registers leak: the least-energy mapping is not the fastest.
PlacedLayer layer() {
    PlacedLayer layer{conv2d(4, 8, 5, 3), fixtures::small_machine(), {}};
    layer.machine.memories[1].capacity_words = 300;
    layer.machine.memories[1].link.energy_per_hop_pj = 0.5;
    layer.machine.memories[2].energy.leak_pj_per_cycle.value = 0.01;
    layer.constraints.levels.resize(3);
    layer.constraints.levels[0].must_keep = layer.constraints.levels[1].must_keep = TensorSet::all(3);
    return layer;
}

double least(const PlacedLayer& layer, ObjectiveKind kind) {
    const Mapspace mapspace(layer.einsum, layer.machine, layer.constraints, FactorRule::perfect);
    const SearchResult found =
        OptimalMapper().search(mapspace, LeanEvaluator(layer.einsum, layer.machine), {.kind = kind}, {}, {});
    EXPECT_EQ(found.stopped, StopReason::proven);
    return found.score.value;
}

// Energy, cycles and product are proven at once: each minimum, and nothing above it.
TEST(LayerProof, ConfirmsFloorsTogetherAndNamesTheOneInDoubt) {
    const PlacedLayer one = layer();
    const ProvenFloor exact{least(one, ObjectiveKind::energy), least(one, ObjectiveKind::latency),
                            least(one, ObjectiveKind::edp)};
    ASSERT_GT(exact.objective, exact.energy_pj * exact.cycles * 1.001) << "no mapping is best in both";
    const auto doubt_of = [&](const ProvenFloor& floor) { return doubt_of_floor(one, "perfect", "edp", floor, {}); };
    EXPECT_EQ(doubt_of(exact), "");
    EXPECT_EQ(doubt_of({exact.energy_pj, exact.cycles, 0.0}), "");
    constexpr double kMore = 1.0 + 1e-6;
    ProvenFloor wrong = exact;
    wrong.energy_pj *= kMore;
    EXPECT_EQ(doubt_of(wrong).find("that no mapping has less energy"), 0U) << doubt_of(wrong);
    wrong = exact;
    wrong.cycles += 1.0;
    EXPECT_EQ(doubt_of(wrong).find("that no mapping has less latency"), 0U) << doubt_of(wrong);
    wrong = exact;
    wrong.objective *= kMore;
    EXPECT_EQ(doubt_of(wrong).find("that no mapping has less edp"), 0U) << doubt_of(wrong);
}

}  // namespace
}  // namespace tilewright::certificate::layer_proof_test
