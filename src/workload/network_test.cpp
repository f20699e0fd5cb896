#include "workload/network.hpp"

#include <gtest/gtest.h>

namespace tilewright::network_test {
namespace {

Einsum matmul(std::int64_t m, std::string name) {
    return {std::move(name),
            {{"M", m}, {"K", 4}},
            {{"A", {Rank{{{0, 1}}}, Rank{{{1, 1}}}}, false}, {"Z", {Rank{{{0, 1}}}}, true}}};
}

TEST(Network, FindsEqualLayersWhateverTheirNames) {
    Network network{"net", {}, {}};
    network.layers.push_back({"first", "MatMul", matmul(8, "a"), 1, {}});
    network.layers.push_back({"second", "MatMul", matmul(16, "b"), 3, {0}});
    network.layers.push_back({"third", "Gemm", matmul(8, "c"), 2, {1}});

    const std::vector<DistinctLayer> distinct = distinct_layers(network);

    ASSERT_EQ(distinct.size(), 2U);
    EXPECT_EQ(distinct[0].layers, (std::vector<int>{0, 2}));
    EXPECT_EQ(distinct[0].repeats, 3);
    EXPECT_EQ(distinct[0].einsum.dimensions[0].extent, 8);
    EXPECT_EQ(distinct[1].layers, (std::vector<int>{1}));
    EXPECT_EQ(distinct[1].repeats, 3);
}

TEST(Network, WithoutLayersHasNoDistinctOnes) { EXPECT_TRUE(distinct_layers(Network{}).empty()); }

}  // namespace
}  // namespace tilewright::network_test
