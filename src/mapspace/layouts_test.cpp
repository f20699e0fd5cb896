#include "mapspace/layouts.hpp"

#include <gtest/gtest.h>

#include "base/numbers/random.hpp"

namespace tilewright::layouts_test {
namespace {

// The fast and the thorough algorithm agree wherever the fast one decides.
TEST(Layouts, DimensionsAlongOneAxisEachAreFoundQuickly) {
    Random random(15);
    int agree = 0;
    int left = 0;
    for (int i = 0; i < 20'000; ++i) {
        const Mesh mesh{static_cast<std::int64_t>(2 + random.below(30)),
                        static_cast<std::int64_t>(2 + random.below(30))};
        std::vector<SharedDimension> dimensions;
        SharedAlongOne quick;
        const std::uint64_t count = random.below(6);
        for (std::uint64_t d = 0; d < count; ++d) {
            SharedDimension one;
            one.dimension = static_cast<int>(d);
            one.shared = static_cast<std::int32_t>(2 + random.below(6));
            one.may_x = random.below(5) > 0;
            one.may_y = random.below(5) > 0;
            one.may_both = false;
            quick.shared[d] = one.shared;
            quick.may_x |= (one.may_x ? 1U : 0U) << d;
            quick.may_y |= (one.may_y ? 1U : 0U) << d;
            dimensions.push_back(one);
        }
        quick.count = static_cast<int>(dimensions.size());
        const auto thorough = fit_on_mesh(dimensions, mesh);
        const auto along_y = fit_along_one_axis(quick, mesh);
        ASSERT_EQ(along_y.has_value(), thorough.has_value());
        if (!along_y) {
            ++left;
            continue;
        }
        for (std::size_t d = 0; d < dimensions.size(); ++d) ASSERT_EQ((*along_y >> d & 1U) != 0, (*thorough)[d].y > 1);
        ++agree;
    }
    EXPECT_GT(agree, 10'000);
    EXPECT_GT(left, 1'000);
}

}  // namespace
}  // namespace tilewright::layouts_test
