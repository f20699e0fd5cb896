// How many threads work may be asked to take, and a thread whose stack is deep enough for all work.
//
//     DeepThread worker([&] { answer = map_network(problem, options, control); });
//     worker.join();
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

namespace tilewright {

/// More would not find processors to run on, and each costs memory before it does anything.
constexpr int kMostThreads = 1024;

/// "", or why a run cannot take so many: 0 (all there are) to kMostThreads.
std::string problem_with_threads(std::int64_t threads);

/// Throws InputError(usage) for a number with a problem.
void require_threads(std::int64_t threads);

/// A thread with a stack of kStackBytes, whatever `ulimit -s` says of others; only what is touched of it is memory.
class DeepThread {
   public:
    static constexpr std::size_t kStackBytes = std::size_t{16} << 20U;

    /// Begins with `work`, which must not throw. Throws std::system_error where the system gives no thread.
    explicit DeepThread(std::function<void()> work);
    /// Joins, unless that was done.
    ~DeepThread();
    DeepThread(const DeepThread&) = delete;
    DeepThread& operator=(const DeepThread&) = delete;

    /// Returns when the work has ended.
    void join();

   private:
    std::function<void()> work_;
    unsigned long handle_ = 0;  ///< pthread_t
    bool joined_ = false;
};

}  // namespace tilewright
