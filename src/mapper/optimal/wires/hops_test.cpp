#include <gtest/gtest.h>
#include <algorithm>
#include <map>
#include <random>
#include <vector>

#include "fixtures/small_machine.hpp"
#include "mapper/optimal/wires/hops.hpp"
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

namespace tilewright::optimal::step_hops_test {
namespace {

// Neighbour by neighbour: those with the same words form a group.
double place_by_place(const Mesh& grid, const std::vector<StepLoop>& loops) {
    std::int64_t count = 1;
    for (const StepLoop& loop : loops) count *= loop.trips;
    std::map<std::vector<std::int64_t>, std::vector<std::int64_t>> groups;
    for (std::int64_t place = 0; place < count; ++place) {
        std::vector<std::int64_t> words;
        bool is_sent = true;
        std::int64_t rest = place;
        for (const StepLoop& loop : loops) {
            const std::int64_t index = rest % loop.trips;
            rest /= loop.trips;
            is_sent = is_sent && loop.first <= index && index < loop.end;
            if (loop.tells_apart) words.push_back(index);
        }
        if (is_sent) groups[words].push_back(place);
    }
    std::vector<ColumnSpan> columns(static_cast<std::size_t>(grid.x));
    double hops = 0.0;
    for (const auto& [words, places] : groups) hops += group_hops(places, grid, columns);
    return hops;
}

Mesh grid_for(std::int64_t count, std::mt19937& random) {
    const std::int64_t x = std::uniform_int_distribution<std::int64_t>(1, count)(random);
    const std::int64_t spare = std::uniform_int_distribution<std::int64_t>(0, 2)(random);
    return {x, (count + x - 1) / x + spare};
}

TEST(StepHops, AreThoseOfEveryGroup) {
    std::mt19937 random(11);
    const auto up_to = [&](std::int64_t most) { return std::uniform_int_distribution<std::int64_t>(0, most)(random); };
    for (int step = 0; step < 20000; ++step) {
        std::vector<StepLoop> loops(static_cast<std::size_t>(up_to(3)));
        std::int64_t count = 1;
        for (StepLoop& loop : loops) {
            loop.trips = 1 + up_to(4);
            count *= loop.trips;
            loop.first = up_to(2) == 0 ? up_to(loop.trips - 1) : 0;
            loop.end = up_to(1) == 0 ? loop.first + 1 + up_to(loop.trips - loop.first - 1) : loop.trips;
            loop.tells_apart = up_to(1) == 0;
        }
        const Mesh grid = grid_for(count, random);
        ASSERT_EQ(step_hops(grid, loops), place_by_place(grid, loops)) << step;
    }
}

// A row, a column, and more rows than words reach.
TEST(StepHops, OfTheFirstNeighbours) {
    for (const Mesh& grid : {Mesh{7, 1}, Mesh{1, 6}, Mesh{1, 7}, Mesh{4, 5}, Mesh{3, 4}}) {
        for (std::int64_t count = 1; count <= grid.size(); ++count) {
            const std::vector<StepLoop> apart{{count, 0, count, true}};
            const std::vector<StepLoop> together{{count, 0, count, false}};
            EXPECT_EQ(hops_one_each(grid, count), place_by_place(grid, apart));
            EXPECT_EQ(hops_together(grid, count), place_by_place(grid, together));
            double nearest = hops_together(grid, count);
            for (std::int64_t place = 0; place < count; ++place)
                nearest = std::min(nearest, place_by_place(grid, {{count, place, place + 1, true}}));
            EXPECT_EQ(hops_to_nearest(grid, count), nearest);
        }
    }
}

}  // namespace

}  // namespace tilewright::optimal::step_hops_test
