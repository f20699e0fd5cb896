// More than any cost: where a least is looked for and nothing is found.
#pragma once

#include <limits>

namespace tilewright {

inline constexpr double kInfinite = std::numeric_limits<double>::infinity();

}  // namespace tilewright
