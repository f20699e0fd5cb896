// A good way to go through a run of several einsums, quickly: no proof, an upper bound that stands early.
#pragma once

#include <cstdint>
#include <optional>

#include "multicore/search/run_search.hpp"

namespace tilewright::multicore {

/// Steps of several sizes along each axis, turns on all cores and a pipeline with teams by operations. Of each a beam
/// of few prefixes of stages, evaluated exactly, then bettered stage by stage. Nothing: none was found below `cut`.
/// Adds prefixes looked at. Throws Stopped.
std::optional<FoundRun> fused_way(const Evaluators& evaluators, KnownShapes& shapes, const Weights& weights, int first,
                                  int last, double cut, std::int64_t& looked_at);

}  // namespace tilewright::multicore
