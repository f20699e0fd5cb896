// When work ends that may take so long.
#pragma once

#include <chrono>
#include <optional>

#include "base/stop.hpp"

namespace tilewright {

/// What is allowed to take longer (three years) is never stopped by the clock, which could not hold that moment.
inline constexpr double kForeverSeconds = 1e8;

/// `begin` and so many seconds; none: no limit, or one that nothing reaches.
inline Deadline deadline_after(std::chrono::steady_clock::time_point begin,
                               std::optional<std::chrono::duration<double>> seconds) {
    if (!seconds || seconds->count() >= kForeverSeconds) return std::nullopt;
    return begin + std::chrono::duration_cast<std::chrono::steady_clock::duration>(*seconds);
}

}  // namespace tilewright
