// Lower bound of a space: the least compulsory bound of its assignments (compulsory_bound.hpp). Gives heuristic
// searches the gap of their answer.
#pragma once

#include <optional>
#include <vector>

#include "base/stop.hpp"
#include "mapspace/mapspace.hpp"
#include "model/lean/lean.hpp"
#include "model/objective.hpp"

namespace tilewright::optimal {

struct SpaceBound {
    std::optional<Score> least;  ///< nothing: too many assignments, or a stop was requested
    /// The best assignments of those bounded, ascending, with different spatial factors.
    std::vector<TilingPoint> promising;
};

/// `promising`: number of assignments to keep. `stop` may be null.
SpaceBound bound_of_space(const Mapspace& mapspace, const LeanEvaluator& evaluator, const Objective& objective,
                          int promising, const StopSource* stop);

}  // namespace tilewright::optimal
