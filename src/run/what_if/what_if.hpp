// A network's costs with twice the bandwidth of the outermost memory, or twice the capacity of another one.
//
//     const std::vector<report::WhatIf> answers = what_if(problem, answer, [&](const NetworkProblem& changed) {
//         return map_network(changed, options);
//     });
//
// Twice the bandwidth: the found mappings are costed again, so a search may find better. Twice the capacity: every
// layer is mapped again. Access energies, leakage and areas stay. Pure but for `map`.
#pragma once

#include <functional>
#include <vector>

#include "report/report.hpp"
#include "run/map_network.hpp"

namespace tilewright {

/// The machine as it is first, then each change. Covers the layers of `answer` with a mapping; if one of them has none
/// on a changed machine, `failure` says so. Throws as `map`, and OverflowError.
std::vector<report::WhatIf> what_if(const NetworkProblem& problem, const NetworkAnswer& answer,
                                    const std::function<NetworkAnswer(const NetworkProblem&)>& map);

}  // namespace tilewright
