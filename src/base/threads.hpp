// Thread limits, and a thread with a stack deep enough for all work.
//
//     DeepThread worker([&] { answer = map_network(problem, options, control); });
//     worker.join();
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

namespace tilewright {

/// Beyond any processor count; each thread costs memory.
constexpr int kMostThreads = 1024;

/// "", or the reason for refusing: valid are 0 (all) to kMostThreads.
std::string problem_with_threads(std::int64_t threads);

/// Throws InputError(usage) for an invalid number.
void require_threads(std::int64_t threads);

/// A thread with a stack of kStackBytes, whatever `ulimit -s`; only touched pages take memory.
class DeepThread {
   public:
    static constexpr std::size_t kStackBytes = std::size_t{16} << 20U;

    /// Starts `work`, which must not throw. Throws std::system_error without a thread from the system.
    explicit DeepThread(std::function<void()> work);
    ~DeepThread();
    DeepThread(const DeepThread&) = delete;
    DeepThread& operator=(const DeepThread&) = delete;

    void join();

   private:
    std::function<void()> work_;
    unsigned long handle_ = 0;  ///< pthread_t
    bool joined_ = false;
};

}  // namespace tilewright
