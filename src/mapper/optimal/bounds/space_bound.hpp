// Lower bound of a space: the least compulsory bound of its assignments. Gives heuristic
// searches the gap of their answer.
#pragma once

#include <optional>
#include <vector>

#include "base/stop.hpp"
#include "mapping/tiling_point.hpp"
#include "mapspace/mapspace.hpp"
#include "model/lean/lean.hpp"
#include "model/lean/problem.hpp"
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

// B9: lower bound of all mappings of one assignment (spatial factors, kept tensors), for any temporal loops and
// remainders. Words come once to every keeping memory; the compute units access theirs operation by operation.

struct CompulsoryBound {
    double energy_pj = 0.0;  ///< with leakage
    double cycles = 1.0;     ///< with the latency of links
};

/// `assignment`: spatial factors and kept tensors of a mapspace point.
CompulsoryBound compulsory_bound(const lean::Setup& setup, const TilingPoint& assignment);

}  // namespace tilewright::optimal
