// Shortlist: the best mappings around one that a search found, for a judge that knows more than the model
// does (a simulation, say).
//
//     const std::vector<FrontPoint> others = shortlist(mapspace, evaluator, best, objective, {.count = 8});
#pragma once

#include <cstdint>
#include <vector>

#include "mapper/mapper.hpp"

namespace tilewright {

struct ShortlistOptions {
    int count = 8;               ///< mappings at most
    std::int64_t moves = 4'000;  ///< random moves from what is on the list so far
    std::uint64_t seed = 1;
    const StopSource* stop = nullptr;  ///< once requested, the list so far is the answer
};

/// Valid mappings of the space, of which no two have the same energy and latency (most of those that do differ in
/// nothing that matters), by the score of `objective`, best first; `from` is always among them. Each is reached from it
/// by random moves, over others that were on the list. The same seed gives the same list. Requires a valid `from` of
/// the space, and at least one mapping to be asked for.
std::vector<FrontPoint> shortlist(const Mapspace& mapspace, const LeanEvaluator& evaluator, const TilingPoint& from,
                                  const Objective& objective, const ShortlistOptions& options);

}  // namespace tilewright
