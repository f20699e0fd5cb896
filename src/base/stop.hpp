// Requests to stop long work: Ctrl-C, a time limit, or the caller.
#pragma once

#include <atomic>
#include <chrono>
#include <exception>
#include <optional>

namespace tilewright {

/// Shared by requester and workers; safe to request from a signal handler.
class StopSource {
   public:
    void request() noexcept { stopped_.store(true, std::memory_order_relaxed); }
    bool requested() const noexcept { return stopped_.load(std::memory_order_relaxed); }

   private:
    std::atomic<bool> stopped_{false};
};

/// Thrown on a stop request by work without useful partial results.
class Stopped final : public std::exception {
   public:
    const char* what() const noexcept override { return "stopped before it was done"; }
};

/// Throws Stopped once `stop` is requested; null: never.
inline void throw_if_stopped(const StopSource* stop) {
    if (stop != nullptr && stop->requested()) throw Stopped();
}

/// A moment to end at; empty: no limit.
using Deadline = std::optional<std::chrono::steady_clock::time_point>;

inline bool passed(const Deadline& deadline) { return deadline && std::chrono::steady_clock::now() >= *deadline; }

}  // namespace tilewright
