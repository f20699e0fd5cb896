// Visits every step of every cluster of every level and keeps all tiles' elements as sets. Free of formulas, and slow.
// The judge of the analysis, and the answer for small layers beyond the closed forms, where this program has no second
// opinion. Checked against another program's brute-force counts (tests/golden/maestro) and the simulated machine
// (tests/property/dataflow_simulated_test.cpp).
#pragma once

#include "maestro/analysis/delivery.hpp"
#include "maestro/dataflow/problem.hpp"

namespace tilewright::dataflow {

struct Walked {
    Counts counts;
    std::int64_t distinct_operations = 0;  ///< without those done twice
    std::int64_t touched_input = 0;        ///< elements in some tile of the top level
    std::int64_t touched_filter = 0;
};

/// Requires levels completed by levels_of() for this problem. For small problems: time and memory grow with steps times
/// tile elements.
Walked walk(const CompleteLayer& problem, const std::vector<Level>& levels, const Hardware& hardware);

}  // namespace tilewright::dataflow
