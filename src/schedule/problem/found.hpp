// Found: a schedule and its origin.
#pragma once

#include <string>

#include "schedule/problem/bounds.hpp"

namespace tilewright::schedule {

struct Found {
    std::string how;  ///< "static: ow oh ic oc*2, slots 2 + 4 + 4"
    Problem problem;
    Schedule schedule;
    Score score;
    Bounds bounds;  ///< of its tiling
};

}  // namespace tilewright::schedule
