// What no mapping of a space undercuts, found without following any: the least of the bounds of all assignments
// (compulsory_bound.hpp). For searches that prove nothing, so that they can say how far their answer may be from the
// best.
#pragma once

#include <optional>
#include <vector>

#include "base/stop.hpp"
#include "mapspace/mapspace.hpp"
#include "model/lean/lean.hpp"
#include "model/objective.hpp"

namespace tilewright::optimal {

struct SpaceBound {
    std::optional<Score> least;  ///< nothing: there are more assignments than are looked at, or a stop was requested
    /// Of those looked at: the least bounds, the least one first, all with different spatial factors.
    std::vector<TilingPoint> promising;
};

/// Remembers as many `promising` ones. `stop` may be null.
SpaceBound bound_of_space(const Mapspace& mapspace, const LeanEvaluator& evaluator, const Objective& objective,
                          int promising, const StopSource* stop);

}  // namespace tilewright::optimal
