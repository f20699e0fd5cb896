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
#include <optional>
#include <string>
#include <vector>

#include "report/report.hpp"
#include "run/map_network.hpp"

namespace tilewright {

/// The machine as it is first, then each change. Covers the layers of `answer` with a mapping; if one of them has none
/// on a changed machine, `failure` says so. Throws as `map`, and OverflowError.
std::vector<report::WhatIf> what_if(const NetworkProblem& problem, const NetworkAnswer& answer,
                                    const std::function<NetworkAnswer(const NetworkProblem&)>& map);

// Share of an energy that rests on unpublished numbers (arch/estimation/memories.hpp).

/// A sentence for each memory with an energy assumed within a range: its share of the energy, and the total at either
/// end. None without an evaluation.
std::vector<std::string> energy_range_notes(const report::Report& report);

// Gain from padding and remainders for a network that leaves an axis of the machine idle: 197 tokens are prime, so
// perfect factors spread none of them.
//
//     if (const auto idle = idle_axes(problem, answer, options, [&](const NetworkProblem& some, const MapOptions& how)
//     {
//             return map_network(some, how);
//         }))
//         std::cout << note_about(*idle, problem.shapes.size()) << '\n';
//
// Pure but for `map`.

/// The network under another rule: no layer is worse than with perfect factors.
struct OtherFactors {
    FactorRule factors = FactorRule::padded;
    NetworkTotals totals;
};

struct IdleAxes {
    std::vector<std::string> layers;  ///< the first of each shape that may gain
    NetworkTotals perfect;
    std::vector<OtherFactors> others;  ///< padding first
};

/// A rule is reported below this share of the network's cycles or of its energy.
inline constexpr double kWorthSaying = 0.9;

/// Maps shapes again that use less than 0.6 of the units and do not wait for the outermost memory: padded and, if that
/// is worth reporting, with remainders, unless their proof may take long. Nothing if it is not, if answers are not
/// proven, or if the options limit the search or request uneven mappings or a front.
std::optional<IdleAxes> idle_axes(const NetworkProblem& problem, const NetworkAnswer& answer, const MapOptions& options,
                                  const std::function<NetworkAnswer(const NetworkProblem&, const MapOptions&)>& map);

/// "perfect factors leave units idle in 3 of 20 shapes (scores, ...): there --factors padded brings the network to
/// 117,454,679 cycles (-30.5 %) and 186.2 mJ (-1.2 %), --factors ruby-s to ...". `shapes`: of the network.
std::string note_about(const IdleAxes& idle, std::size_t shapes);

}  // namespace tilewright
