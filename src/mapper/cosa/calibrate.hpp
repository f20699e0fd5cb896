// Calibrates CoSA's weights for a machine by micro-benchmarks: a layer bound by computation, one by the outermost
// memory, one by the network, and one with strides. Each choice of weights is solved and its schedules costed; the
// least geometric mean of the objective wins.
#pragma once

#include <functional>
#include <vector>

#include "mapper/cosa/schedule.hpp"
#include "mapspace/constraints.hpp"
#include "model/objective.hpp"

namespace tilewright::cosa {

struct Trial {
    Weights weights;
    int schedules = 0;   ///< micro-benchmarks with a legal schedule
    double score = 0.0;  ///< geometric mean of the objective over those
};

std::vector<Einsum> micro_benchmarks();

/// Every choice of weights tried, the released code's first. Deterministic. `constraints`: the machine's for a layer.
std::vector<Trial> calibrate(const Architecture& architecture, const Objective& objective,
                             const std::function<Constraints(const Einsum&)>& constraints);

/// Most schedules, then least score, then first. Requires one.
const Trial& best_trial(const std::vector<Trial>& trials);

}  // namespace tilewright::cosa
