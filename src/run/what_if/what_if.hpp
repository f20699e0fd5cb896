// What a network would cost on a machine with twice the bandwidth of its outermost memory, or twice the capacity of one
// of the others.
//
//     const std::vector<report::WhatIf> answers = what_if(problem, answer, [&](const NetworkProblem& changed) {
//         return map_network(changed, options);
//     });
//
// Twice the bandwidth: the mappings that were found are costed again, so a search may find better. Twice the capacity:
// every layer is mapped again. What an access costs, leakage and areas stay as they are. Pure but for `map`.
#pragma once

#include <functional>
#include <vector>

#include "report/report.hpp"
#include "run/map_network.hpp"

namespace tilewright {

/// The machine as it is first, then each change. Of `answer` the layers with a mapping; where another one of them has
/// none on a changed machine, `failure` says so. Throws what `map` throws, and OverflowError.
std::vector<report::WhatIf> what_if(const NetworkProblem& problem, const NetworkAnswer& answer,
                                    const std::function<NetworkAnswer(const NetworkProblem&)>& map);

}  // namespace tilewright
