// What padding and remainders would bring a network whose extents leave an axis of the machine idle: 197 tokens are
// prime, so that perfect factors spread none of them.
//
//     if (const auto idle = idle_axes(problem, answer, options, [&](const NetworkProblem& some, const MapOptions& how)
//     {
//             return map_network(some, how);
//         }))
//         std::cout << note_about(*idle, problem.shapes.size()) << '\n';
//
// Pure but for `map`.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "run/map_network.hpp"

namespace tilewright {

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

/// Under another rule the network has to take less than this share of its cycles or of its energy.
inline constexpr double kWorthSaying = 0.9;

/// Shapes of which less than 0.6 of the units work, and that do not wait for the outermost memory, are mapped again:
/// padded, and where that is worth saying with remainders, unless their proof may take long. Nothing where it is not,
/// where answers are not proven, and where the options limit the search, or ask for uneven mappings or a front.
std::optional<IdleAxes> idle_axes(const NetworkProblem& problem, const NetworkAnswer& answer, const MapOptions& options,
                                  const std::function<NetworkAnswer(const NetworkProblem&, const MapOptions&)>& map);

/// "perfect factors leave units idle in 3 of 20 shapes (scores, ...): there --factors padded brings the network to
/// 117,454,679 cycles (-30.5 %) and 186.2 mJ (-1.2 %), --factors ruby-s to ...". `shapes`: of the network.
std::string note_about(const IdleAxes& idle, std::size_t shapes);

}  // namespace tilewright
