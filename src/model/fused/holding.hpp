// What shared stores hold while a fused mapping runs.
#pragma once

#include <optional>
#include <vector>

#include "model/fused/region.hpp"

namespace tilewright::fused {

/// What of a tensor a store remembers.
struct Holding {
    Region held;
    std::optional<Place> at;     ///< where its tile starts, borders and what is kept left aside
    std::optional<Place> moved;  ///< the movement of the last reuse
    Region summed;               ///< of statistics read unfinished: words of their rows that are in those held

    void forget() {
        held.clear();
        summed.clear();
    }
};

/// By tensor and store of it.
using State = std::vector<Holding>;

/// By tensor: hulls of what leaves read and make.
struct Touches {
    std::vector<std::optional<Box>> reads;
    std::vector<std::optional<Box>> makes;
};

}  // namespace tilewright::fused
