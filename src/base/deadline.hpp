// Deadlines of long-running work.
#pragma once

#include <chrono>
#include <optional>

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

}  // namespace tilewright
