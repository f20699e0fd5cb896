// Calibration of CoSA's weights for a machine, by micro-benchmarks: small layers, one that computes, one that waits for
// the outermost memory, one that keeps the network busy and one with strides. For each choice of weights the program is
// solved and its schedules are costed; the choice with the least geometric mean of the objective wins.
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

/// Every choice of weights that is tried, the released code's first. Deterministic. `constraints`: those of the machine
/// for a layer.
std::vector<Trial> calibrate(const Architecture& architecture, const Objective& objective,
                             const std::function<Constraints(const Einsum&)>& constraints);

/// The best of them: most schedules, then the least score, then the first. Requires one.
const Trial& best_trial(const std::vector<Trial>& trials);

}  // namespace tilewright::cosa
