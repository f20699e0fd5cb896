// Legality of a dataflow: bound, coverage, no redundancy (MAESTRO, section 3.3), directive by directive.
//
// Image rows and columns are judged by their tiles' outputs. Rows skipped by a stride, or behind the window's last
// position, are no lack of coverage: dropping them is the purpose of stride and dilation.
#pragma once

#include <string>
#include <vector>

#include "maestro/dataflow/problem.hpp"

namespace tilewright::dataflow {

enum class Condition : std::uint8_t { bound, coverage, redundancy };

/// "bound", "coverage", "redundancy"
std::string_view name_of(Condition condition);

struct Finding {
    Condition condition = Condition::bound;
    std::size_t level = 0;
    std::string text;  ///< "SpatialMap(3,1) K: ..."
    Location where;    ///< of the directive in its file
};

/// Violations of completed levels, level by level; empty: every multiply-accumulate is done exactly once.
std::vector<Finding> findings(const CompleteLayer& problem, const std::vector<Level>& levels);

}  // namespace tilewright::dataflow
