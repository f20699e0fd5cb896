// Whether a dataflow is legal: bound, coverage, no redundancy (MAESTRO, section 3.3), directive by directive.
//
// Rows and columns of the image are judged by the outputs that their tiles make. Rows that a stride steps over, or that
// lie behind the last place of the window, are therefore no lack of coverage: dropping them is what stride and dilation
// are for.
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
    Location where;    ///< of the directive, where it was written
};

/// What makes completed levels illegal, level by level; empty: every multiply-accumulate is done, once.
std::vector<Finding> findings(const CompleteLayer& problem, const std::vector<Level>& levels);

}  // namespace tilewright::dataflow
