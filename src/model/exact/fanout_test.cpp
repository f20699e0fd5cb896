#include "model/exact/fanout.hpp"

#include <gtest/gtest.h>

#include <numeric>

namespace tilewright {
namespace {

TEST(Fanout, ClosedFormsOfHopsAreSumsOverTheNeighbours) {
    int compared = 0;
    for (std::int64_t x = 1; x <= 7; ++x)
        for (std::int64_t y = 1; y <= 7; ++y)
            for (std::int64_t count = 1; count <= x * y; ++count) {
                const Mesh grid{x, y};
                std::vector<std::int64_t> all(static_cast<std::size_t>(count));
                std::iota(all.begin(), all.end(), 0);
                double each = 0.0;
                for (const std::int64_t number : all) each += tree_hops(grid, {number});
                EXPECT_EQ(hops_to_each(grid, count), each) << x << " x " << y << ", " << count;
                EXPECT_EQ(hops_to_all(grid, count), tree_hops(grid, all)) << x << " x " << y << ", " << count;
                ++compared;
            }
    EXPECT_EQ(compared, 784);
}

TEST(Fanout, AMeshOfAnySizeTakesNoTime) {
    const Mesh grid{1 << 26, 1 << 26};
    const std::int64_t count = (std::int64_t{1} << 51) + 12345;
    EXPECT_GT(hops_to_each(grid, count), 0.0);
    EXPECT_GT(hops_to_all(grid, count), 0.0);
    EXPECT_EQ(tree_hops(grid, {count}), tree_hops(grid, {count}));
}

}  // namespace
}  // namespace tilewright
