// How long work is told to stop: by Ctrl-C, by a time limit, or by a caller who has seen enough.
#pragma once

#include <atomic>
#include <chrono>
#include <optional>

namespace tilewright {

/// Shared by the one who stops and the ones who work; safe to request from a signal handler.
class StopSource {
   public:
    void request() noexcept { stopped_.store(true, std::memory_order_relaxed); }
    bool requested() const noexcept { return stopped_.load(std::memory_order_relaxed); }

   private:
    std::atomic<bool> stopped_{false};
};

/// A moment after which work should end; empty means "whenever it is done".
using Deadline = std::optional<std::chrono::steady_clock::time_point>;

inline bool passed(const Deadline& deadline) { return deadline && std::chrono::steady_clock::now() >= *deadline; }

}  // namespace tilewright
