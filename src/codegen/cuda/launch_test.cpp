#include "codegen/cuda/launch.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace tilewright::cuda::launch_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// 48 KiB of shared memory and 40 words for each of 1024 threads.
Launch largest() { return {{2147483647, 65535, 65535}, {1024, 1, 1}, 49152, 40}; }

TEST(Launch, TheLargestOneIsFine) { EXPECT_THAT(launch_problems(largest(), {}), IsEmpty()); }

TEST(Launch, MaximaOfTheThreadBlockHoldAlongEveryAxis) {
    Launch launch = largest();
    launch.block = {1, 1, 64};
    EXPECT_THAT(launch_problems(launch, {}), IsEmpty());
    launch.block = {1, 1, 65};
    EXPECT_THAT(launch_problems(launch, {}),
                ElementsAre(HasSubstr("(1, 1, 65) exceeds the largest one, (1024, 1024, 64)")));
    launch.block = {1, 1025, 1};
    EXPECT_THAT(launch_problems(launch, {}), testing::Contains(HasSubstr("exceeds the largest one")));
}

TEST(Launch, TheProductOfTheAxesIsAtMost1024) {
    Launch launch = largest();
    launch.words_per_thread = 4;
    launch.block = {32, 16, 2};
    EXPECT_THAT(launch_problems(launch, {}), IsEmpty());
    launch.block = {32, 11, 3};
    EXPECT_THAT(launch_problems(launch, {}), ElementsAre(HasSubstr("has 1056 threads, more than 1024")));
}

TEST(Launch, GridsHaveMaximaToo) {
    Launch launch = largest();
    launch.grid = {1, 65536, 1};
    EXPECT_THAT(launch_problems(launch, {}), ElementsAre(HasSubstr("the grid (1, 65536, 1) exceeds")));
    launch.grid = {1, 0, 1};
    EXPECT_THAT(launch_problems(launch, {}), ElementsAre(HasSubstr("is empty")));
}

TEST(Launch, SharedMemoryIsCounted) {
    Launch launch = largest();
    launch.shared_bytes += 4;
    EXPECT_THAT(launch_problems(launch, {}), ElementsAre(HasSubstr("49156 bytes of shared memory, more than 49152")));
    EXPECT_THAT(launch_problems(launch, {.shared_bytes_per_block = 232448}), IsEmpty());
}

TEST(Launch, RegistersAreThoseOfAllThreadsTogether) {
    Launch launch = largest();
    launch.words_per_thread = 41;
    EXPECT_THAT(launch_problems(launch, {}), ElementsAre(HasSubstr("1024 threads of about 65 registers")));
    launch.block = {256, 1, 1};  // fewer threads may have more each
    launch.words_per_thread = 231;
    EXPECT_THAT(launch_problems(launch, {}), IsEmpty());
    launch.words_per_thread = 232;
    EXPECT_THAT(launch_problems(launch, {}), ElementsAre(HasSubstr("about 256 registers, more than 255")));
}

TEST(Launch, HugeNumbersDoNotWrap) {
    constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
    const Launch launch{{1, 1, 1}, {kMost, kMost, kMost}, kMost, 0};
    EXPECT_THAT(launch_problems(launch, {}), testing::SizeIs(4));
}

TEST(Axes, OneLoopEachAsLongAsThatIsEnough) {
    const Axes axes = assign_axes({8, 4, 2}, LaunchLimits{}.block);
    EXPECT_THAT(axes.x, ElementsAre(0));
    EXPECT_THAT(axes.y, ElementsAre(1));
    EXPECT_THAT(axes.z, ElementsAre(2));
}

TEST(Axes, TheThirdAxisTakesTheRestUnlessThatIsMoreThan64) {
    EXPECT_THAT(assign_axes({2, 2, 8, 8}, LaunchLimits{}.block).z, ElementsAre(2, 3));
    const Axes folded = assign_axes({2, 2, 8, 9}, LaunchLimits{}.block);
    EXPECT_THAT(folded.y, ElementsAre(1, 2, 3));
    EXPECT_THAT(folded.z, IsEmpty());
}

/// However 1024 threads are split, some assignment keeps the maxima.
TEST(Axes, EveryBlockOf1024ThreadsHasAPlace) {
    const LaunchLimits limits;
    for (std::int64_t a = 1; a <= 1024; ++a)
        for (std::int64_t b = 1; a * b <= 1024; ++b)
            for (std::int64_t c = 1; a * b * c <= 1024; ++c) {
                const Axes axes = assign_axes({a, b, c}, limits.block);
                const std::int64_t extents[] = {a, b, c};
                Launch launch;
                for (const int loop : axes.x) launch.block.x *= extents[loop];
                for (const int loop : axes.y) launch.block.y *= extents[loop];
                for (const int loop : axes.z) launch.block.z *= extents[loop];
                ASSERT_EQ(launch.block.x * launch.block.y * launch.block.z, a * b * c);
                ASSERT_THAT(launch_problems(launch, limits), IsEmpty()) << a << " " << b << " " << c;
            }
}

TEST(Axes, GridsTooLongForYShareX) {
    const Axes axes = assign_axes({2, 70000, 3}, LaunchLimits{}.grid);
    EXPECT_THAT(axes.x, ElementsAre(0, 1, 2));
}

}  // namespace
}  // namespace tilewright::cuda::launch_test
