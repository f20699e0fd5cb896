// What a run comes to, said first: what is proven, what bounds the latency, and where energy and time go, in sentences
// whose numbers are computed from the run.
#pragma once

#include <string>
#include <vector>

#include "report/views/run.hpp"

namespace tilewright::views {

/// What bounds the latency of some layers.
struct Limit {
    std::string what;  ///< "compute units", "vector unit", or a memory
    double shapes = 0.0;
    double cycles_share = 0.0;  ///< of all cycles, those of these layers
};

struct Overview {
    double shapes = 0.0;                ///< with costs
    double chosen = 0.0;                ///< of these: mapped, not run on a vector unit, which leaves no choice
    double proven = 0.0;                ///< of those: no mapping of their spaces is better
    std::string proof;                  ///< "24 of 24 shapes proven optimal"; "" where nothing was searched
    std::vector<Limit> limits;          ///< the most cycles first
    std::vector<std::string> findings;  ///< sentences
};

Overview overview_of(const Run& run);

}  // namespace tilewright::views
