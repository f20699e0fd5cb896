// Infinity: the initial value of a minimum over costs.
#pragma once

#include <limits>

namespace tilewright {

inline constexpr double kInfinite = std::numeric_limits<double>::infinity();

}  // namespace tilewright
