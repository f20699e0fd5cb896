#include "base/threads.hpp"

#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/resource.h>

#include <array>
#include <cstdint>

#include "base/error.hpp"

namespace tilewright::threads_test {
namespace {

TEST(Threads, HaveALimit) {
    EXPECT_EQ(problem_with_threads(0), "");
    EXPECT_EQ(problem_with_threads(kMostThreads), "");
    EXPECT_EQ(problem_with_threads(100000), "threads are 0 (all there are) to 1024, not 100000");
    EXPECT_NE(problem_with_threads(-1), "");
    EXPECT_NE(problem_with_threads(std::int64_t{1} << 32U), "") << "not taken for 0";
    EXPECT_THROW(require_threads(kMostThreads + 1), InputError);
    require_threads(1);
}

// Touches `depth` KiB of stack.
std::int64_t deep(int depth) {
    std::array<volatile char, 1024> room{};
    room[0] = 1;
    return depth == 0 ? room[0] : room[0] + deep(depth - 1);
}

TEST(DeepThread, HasItsStackWhateverTheLimitIs) {
    rlimit before{};
    getrlimit(RLIMIT_STACK, &before);
    rlimit small = before;
    small.rlim_cur = 256 * 1024;
    setrlimit(RLIMIT_STACK, &small);
    std::int64_t touched = 0;
    DeepThread thread([&] { touched = deep(6 * 1024); });
    thread.join();
    setrlimit(RLIMIT_STACK, &before);
    EXPECT_EQ(touched, 6 * 1024 + 1);
}

}  // namespace
}  // namespace tilewright::threads_test
