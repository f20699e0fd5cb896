// How long work is told to stop: by Ctrl-C, by a time limit, or by a caller who has seen enough.
#pragma once

#include <atomic>
#include <chrono>
#include <exception>
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

/// Thrown by work of which a part is worth nothing, once its stop is requested: whatever it had counted is lost.
class Stopped final : public std::exception {
   public:
    const char* what() const noexcept override { return "stopped before it was done"; }
};

/// Throws Stopped once `stop` is requested; null: never.
inline void throw_if_stopped(const StopSource* stop) {
    if (stop != nullptr && stop->requested()) throw Stopped();
}

/// A moment after which work should end; empty means "whenever it is done".
using Deadline = std::optional<std::chrono::steady_clock::time_point>;

inline bool passed(const Deadline& deadline) { return deadline && std::chrono::steady_clock::now() >= *deadline; }

}  // namespace tilewright
