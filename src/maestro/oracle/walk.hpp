// The judge of the analysis: visits every step of every cluster of every level and keeps the elements of all tiles as
// sets. It knows no formula, and is slow.
#pragma once

#include "maestro/analysis/counts.hpp"
#include "maestro/dataflow/problem.hpp"

namespace tilewright::dataflow::oracle {

struct Walked {
    Counts counts;
    std::int64_t distinct_operations = 0;  ///< without those done twice
    std::int64_t touched_input = 0;        ///< elements that some tile of the top level has
    std::int64_t touched_filter = 0;
};

/// Requires levels that levels_of() completed for this problem. For small problems: time and memory grow with the
/// number of steps times the elements of a tile.
Walked walk(const Problem& problem, const std::vector<Level>& levels, const Hardware& hardware);

}  // namespace tilewright::dataflow::oracle
