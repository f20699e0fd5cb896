// Shortlist: the best mappings around a given one, for a judge finer than the model (a simulation, say).
//
//     const std::vector<FrontPoint> others = shortlist(mapspace, evaluator, best, objective, {.count = 8});
#pragma once

#include <cstdint>
#include <vector>

#include "mapper/mapper.hpp"

namespace tilewright {

struct ShortlistOptions {
    int count = 8;               ///< mappings at most
    std::int64_t moves = 4'000;  ///< random moves from the list so far
    std::uint64_t seed = 1;
    const StopSource* stop = nullptr;  ///< a stop returns the list so far
};

/// Valid mappings of the space with distinct (energy, latency), by the score of `objective`, best first, `from` among
/// them. Found by random moves from mappings on the list. One seed gives one list. Requires a valid `from` of the space
/// and a count of at least one.
std::vector<FrontPoint> shortlist(const Mapspace& mapspace, const LeanEvaluator& evaluator, const TilingPoint& from,
                                  const Objective& objective, const ShortlistOptions& options);

}  // namespace tilewright
