// Deadlines of long-running work.
// A stop after some time, or with another one.
#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>

#include "base/stop.hpp"

namespace tilewright {

/// Longer limits (three years) are never enforced: the clock could not hold the moment.
inline constexpr double kForeverSeconds = 1e8;

/// `begin` plus the seconds; none: no limit, or an unreachable one.
inline Deadline deadline_after(std::chrono::steady_clock::time_point begin,
                               std::optional<std::chrono::duration<double>> seconds) {
    if (!seconds || seconds->count() >= kForeverSeconds) return std::nullopt;
    return begin + std::chrono::duration_cast<std::chrono::steady_clock::duration>(*seconds);
}

/// Requests a stop when the time is over, or when `parent` is stopped.
class TimeLimit {
   public:
    TimeLimit(StopSource& stop, std::optional<double> seconds, const StopSource* parent = nullptr) {
        // Before anything, whatever the clock does.
        if ((seconds && *seconds <= 0.0) || (parent != nullptr && parent->requested())) stop.request();
        if ((!seconds && parent == nullptr) || stop.requested()) return;
        waiter_ = std::jthread([&stop, parent, end = deadline_after(std::chrono::steady_clock::now(), of(seconds)),
                                this](const std::stop_token& done) {
            constexpr auto kTurn = std::chrono::milliseconds(50);
            std::unique_lock lock(mutex_);
            while (!over_.wait_for(lock, done, kTurn, [&] { return done.stop_requested(); }) && !done.stop_requested())
                if ((parent != nullptr && parent->requested()) || passed(end)) return stop.request();
        });
    }

   private:
    static std::optional<std::chrono::duration<double>> of(std::optional<double> seconds) {
        if (!seconds) return std::nullopt;
        return std::chrono::duration<double>(*seconds);
    }
    std::mutex mutex_;
    std::condition_variable_any over_;
    std::jthread waiter_;
};

}  // namespace tilewright
