// Floors of leaves against their fronts, which leaf_test.cpp holds to the exact model.
#include "fusion/leaf/array_floor.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "fixtures/fused_bottleneck.hpp"
#include "fusion/leaf/leaf.hpp"
#include "workload/einsum_text.hpp"

namespace tilewright::fusion::array_floor_test {
namespace {

constexpr double kRounding = 1e-9;

Machine machine(double buffer_words_per_cycle) {
    Architecture architecture = fixtures::three_levels(4096, 4);
    architecture.memories[1].shared_words_per_cycle = buffer_words_per_cycle;
    return machine_of(architecture);
}

std::vector<std::int64_t> extents_of(const Einsum& einsum) {
    std::vector<std::int64_t> extents;
    for (const Dimension& dimension : einsum.dimensions) extents.push_back(dimension.extent);
    return extents;
}

double points_of(const std::vector<std::int64_t>& extents) {
    double points = 1.0;
    for (const std::int64_t extent : extents) points *= static_cast<double>(extent);
    return points;
}

Einsum depthwise() {
    return parse_einsum("O[c,p,q] += I[c,p+r,q+s] * W[c,r,s]", {{"c", 8}, {"p", 4}, {"q", 6}, {"r", 3}, {"s", 3}});
}
Einsum product() { return parse_einsum("O[m,k] += I[m,c] * W[c,k]", {{"m", 6}, {"k", 8}, {"c", 4}}); }

struct Compared {
    int fronts = 0;
    int tight = 0;     // some point has the floor's cycles
    int together = 0;  // no corner has both least energy and fewest cycles
};

// Every point of the leaf's front costs what the floor says at least, and what some corner says in both at once.
void compare(const Einsum& einsum, const Machine& machine, const LeafQuestion& question, Compared& compared) {
    Neighbours neighbours(einsum);
    const LeafPoint floor = leaf_floor(einsum, machine, question, neighbours);
    const LeafFront front = leaf_front(einsum, machine, question, neighbours);
    if (front.empty()) return;
    ++compared.fronts;
    const LeafFront corners = leaf_corners(einsum, machine, question, neighbours);
    EXPECT_EQ(corners.front().energy_pj, floor.energy_pj);
    EXPECT_EQ(corners.back().cycles, floor.cycles);
    compared.together += corners.size() > 1;
    bool tight = false;
    for (const LeafPoint& point : front) {
        EXPECT_GE(point.energy_pj, floor.energy_pj * (1.0 - kRounding));
        EXPECT_GE(point.cycles, floor.cycles * (1.0 - kRounding));
        tight = tight || point.cycles <= floor.cycles * (1.0 + kRounding);
        EXPECT_TRUE(std::ranges::any_of(corners, [&](const LeafPoint& corner) {
            return point.energy_pj >= corner.energy_pj * (1.0 - kRounding) &&
                   point.cycles >= corner.cycles * (1.0 - kRounding);
        }));
    }
    compared.tight += tight;
}

TEST(ArrayFloor, NoLeafIsBelowAndManyReachIt) {
    Compared compared;
    for (const double rate : {2.0, 6.0, 64.0})
        for (const Einsum& einsum : {depthwise(), product()}) {
            const Machine one = machine(rate);
            TensorSet written;
            for (int t = 0; t < einsum.tensor_count(); ++t)
                if (einsum.tensors[t].written) written.add(t);
            for (std::uint32_t held = 0; held < 8; ++held) {
                const TensorSet set = TensorSet::from_bits(held);
                compare(einsum, one, {extents_of(einsum), set, 0}, compared);
                if ((held & written.bits()) != 0) compare(einsum, one, {extents_of(einsum), set, 3}, compared);
            }
        }
    EXPECT_EQ(compared.fronts, 72);
    EXPECT_GE(compared.tight, 36);
    EXPECT_GE(compared.together, 10);
}

// 8 x 24 x 9 operations. 16 units take 108 cycles, but whichever 16 these are, the buffer feeds them more slowly: the
// spread by itself and the words by themselves would allow less than both together.
TEST(ArrayFloor, UnitsThatTheBufferCannotFeedAreNotQuick) {
    const Einsum einsum = depthwise();
    Neighbours neighbours(einsum);
    const LeafQuestion all_held{extents_of(einsum), TensorSet::all(3), 0};
    const Machine slow = machine(6.0);
    const LeafPoint floor = leaf_floor(einsum, slow, all_held, neighbours);
    const LeafFront front = leaf_front(einsum, slow, all_held, neighbours);
    double least = front.front().cycles;
    for (const LeafPoint& point : front) least = std::min(least, point.cycles);
    EXPECT_EQ(floor.cycles, least);
    EXPECT_GT(floor.cycles, 108.0);
}

// Boxes may have any part of p, and factors of all else.
TEST(ArrayFloor, APointOfAnyBoxCostsNoLess) {
    const Einsum einsum = depthwise();
    int compared = 0;
    double nearest = 1e9;
    for (const double rate : {2.0, 6.0, 64.0}) {
        const Machine one = machine(rate);
        const LeastPerPoint least = least_per_point(einsum, one, {false, true, false, false, false});
        for (const std::int64_t c : {1, 2, 4, 8})
            for (const std::int64_t p : {1, 2, 3, 4})
                for (const std::int64_t q : {2, 3, 6}) {
                    Neighbours neighbours(einsum);
                    const std::vector<std::int64_t> box{c, p, q, 3, 3};
                    for (const LeafPoint& point : leaf_front(einsum, one, {box, TensorSet::all(3), 0}, neighbours)) {
                        EXPECT_GE(point.cycles, points_of(box) * least.cycles * (1.0 - kRounding));
                        EXPECT_GE(point.energy_pj, points_of(box) * least.energy_pj * (1.0 - kRounding));
                        nearest = std::min(nearest, point.cycles / (points_of(box) * least.cycles));
                        ++compared;
                    }
                }
    }
    EXPECT_GE(compared, 144);
    EXPECT_LT(nearest, 1.01) << "some box reaches it";
}

// q of 6 fills three of four units; boxes that may have any part of it could fill all four.
TEST(ArrayFloor, FactorsCountWhereBoxesAreCutByFactors) {
    const Einsum einsum = parse_einsum("O[q] += I[q,s] * W[s]", {{"q", 6}, {"s", 5}});
    const Machine one = machine(1000.0);
    EXPECT_DOUBLE_EQ(least_per_point(einsum, one, {true, false}).cycles, 1.0 / 4.0);
    EXPECT_DOUBLE_EQ(least_per_point(einsum, one, {false, false}).cycles, 1.0 / 3.0);
}

}  // namespace
}  // namespace tilewright::fusion::array_floor_test
