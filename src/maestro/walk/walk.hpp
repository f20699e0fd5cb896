// Visits every step of every cluster of every level and keeps the elements of all tiles as sets. It knows no formula,
// and is slow. The judge of the analysis, and the answer for small layers that closed forms do not cover: there nothing
// in this program is a second opinion. It is itself held to counts that another program made by brute force
// (tests/golden/maestro), and to the simulated machine (tests/property/dataflow_simulated_test.cpp).
#pragma once

#include "maestro/analysis/counts.hpp"
#include "maestro/dataflow/problem.hpp"

namespace tilewright::dataflow {

struct Walked {
    Counts counts;
    std::int64_t distinct_operations = 0;  ///< without those done twice
    std::int64_t touched_input = 0;        ///< elements that some tile of the top level has
    std::int64_t touched_filter = 0;
};

/// Requires levels that levels_of() completed for this problem. For small problems: time and memory grow with the
/// number of steps times the elements of a tile.
Walked walk(const CompleteLayer& problem, const std::vector<Level>& levels, const Hardware& hardware);

}  // namespace tilewright::dataflow
