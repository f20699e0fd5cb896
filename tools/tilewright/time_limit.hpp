// A stop after some time, or with another one.
#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>

#include "base/stop.hpp"

namespace tilewright::cli {

/// Requests a stop when the time is over, or when `parent` is stopped.
class TimeLimit {
   public:
    TimeLimit(StopSource& stop, std::optional<double> seconds, const StopSource* parent = nullptr) {
        if (seconds && *seconds <= 0.0) stop.request();  // before anything, whatever the clock does
        if ((!seconds && parent == nullptr) || stop.requested()) return;
        waiter_ = std::jthread([&stop, parent, seconds = seconds.value_or(kForever),
                                this](const std::stop_token& done) {
            constexpr auto kTurn = std::chrono::milliseconds(50);
            const auto end =
                std::chrono::steady_clock::now() + std::chrono::duration<double>(std::min(seconds, kForever));
            std::unique_lock lock(mutex_);
            while (!over_.wait_for(lock, done, kTurn, [&] { return done.stop_requested(); }) && !done.stop_requested())
                if ((parent != nullptr && parent->requested()) || std::chrono::steady_clock::now() >= end)
                    return stop.request();
        });
    }

   private:
    static constexpr double kForever = 1e8;
    std::mutex mutex_;
    std::condition_variable_any over_;
    std::jthread waiter_;
};

}  // namespace tilewright::cli
