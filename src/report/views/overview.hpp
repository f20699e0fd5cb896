// A run's main results in computed sentences: proofs, bounds of the latency, consumers of energy and time.
#pragma once

#include <string>
#include <vector>

#include "report/views/run.hpp"

namespace tilewright::views {

struct Limit {
    std::string what;  ///< "compute units", "vector unit", or a memory
    double shapes = 0.0;
    double cycles_share = 0.0;  ///< of all cycles, those of these layers
};

struct Overview {
    double shapes = 0.0;                ///< with costs
    double chosen = 0.0;                ///< of these: mapped, not run on a vector unit without a choice
    double proven = 0.0;                ///< of those: proven optimal in their spaces
    std::string proof;                  ///< "24 of 24 shapes proven optimal"; "" without a search
    std::vector<Limit> limits;          ///< the most cycles first
    std::vector<std::string> findings;  ///< sentences
};

Overview overview_of(const Run& run);

}  // namespace tilewright::views
