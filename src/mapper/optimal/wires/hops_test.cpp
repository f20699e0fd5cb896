#include "mapper/optimal/wires/hops.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "fixtures/small_machine.hpp"
#include "model/exact/costs.hpp"
#include "workload/shapes.hpp"

namespace tilewright::optimal::hops_test {
namespace {

/// Registers fed by a buffer over the wires of a mesh.
Architecture wired(const Mesh& mesh) {
    Architecture a = fixtures::small_machine(mesh);
    a.memories[1].link.energy_per_hop_pj = 0.5;
    return a;
}

struct Wired {
    explicit Wired(const Mesh& mesh) : architecture(wired(mesh)) {}

    Architecture architecture;
    Einsum einsum = gemm(6, 5, 4);
    Mapspace mapspace{einsum, architecture, {}, FactorRule::ruby_s};
    lean::Setup setup{einsum, architecture};
    Hops hops{mapspace, setup, 1};
};

/// The evaluators' count for one word to all these places.
double counted_hops(const std::vector<std::int64_t>& places, const Mesh& mesh) {
    std::vector<ColumnSpan> columns(static_cast<std::size_t>(mesh.x));
    return group_hops(places, mesh, columns);
}

class HopsOfAMesh : public testing::TestWithParam<Mesh> {};

TEST_P(HopsOfAMesh, AreThoseOfTheFirstPlaces) {
    const Mesh mesh = GetParam();
    const Wired wired(mesh);
    std::vector<std::int64_t> places;
    double apart = 0.0;
    double nearest = counted_hops({0}, mesh);
    for (std::int64_t place = 0; place < mesh.size(); ++place) {
        places.push_back(place);
        apart += counted_hops({place}, mesh);
        nearest = std::min(nearest, counted_hops({place}, mesh));
        EXPECT_DOUBLE_EQ(wired.hops.together(place + 1), counted_hops(places, mesh)) << place;
        EXPECT_DOUBLE_EQ(wired.hops.apart(place + 1), apart) << place;
        EXPECT_DOUBLE_EQ(wired.hops.nearest(place + 1), nearest) << place;
    }
}

INSTANTIATE_TEST_SUITE_P(Meshes, HopsOfAMesh,
                         testing::Values(Mesh{4, 1}, Mesh{1, 5}, Mesh{4, 2}, Mesh{3, 4}, Mesh{2, 7}));

// Five over a row of four: the second step has one left, at the first place.
TEST(Hops, TheLastStepHasTheNearestNeighbours) {
    const Wired wired({4, 1});
    const std::vector<SpreadDimension> five{{5, 4}};
    EXPECT_DOUBLE_EQ(wired.hops.mean_apart(five), (0 + 1 + 2 + 3 + 0) / 5.0);
}

// Six over a row of four: six single ones need steps of four and two; three pairs need one step of three.
TEST(Hops, LoopsInsideMayTakeAnyDivisor) {
    const Wired wired({4, 1});
    const std::vector<SpreadDimension> by_four{{6, 4}};
    EXPECT_DOUBLE_EQ(wired.hops.mean_apart(by_four), (0 + 1 + 2 + 3 + 0 + 1) / 6.0);
    const std::vector<SpreadDimension> by_three{{6, 3}};
    EXPECT_DOUBLE_EQ(wired.hops.mean_apart(by_three), (0 + 1 + 2) / 3.0);
}

// The only link carries updates as well as operands: a hop of either costs the same.
TEST(Hops, CostWhatTheWireCosts) {
    const Wired wired({4, 2});
    for (int t = 0; t < 3; ++t) EXPECT_DOUBLE_EQ(wired.hops.hop_pj(t), 0.5);
    Architecture of_routers = wired.architecture;
    of_routers.memories[1].link.kind = NetworkKind::reduction_tree;
    const lean::Setup setup(wired.einsum, of_routers);
    EXPECT_DOUBLE_EQ(pj_per_hop(setup, 0, 1), 0.0);
}

}  // namespace
}  // namespace tilewright::optimal::hops_test
