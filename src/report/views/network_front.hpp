// The front of a whole network: one mapping for every layer, of which no choice is better in both energy and latency.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "report/views/run.hpp"

namespace tilewright::views {

/// A choice of one mapping for every layer.
struct NetworkChoice {
    double cycles = 0.0;
    double energy_pj = 0.0;
    std::vector<std::size_t> mappings;  ///< by layer with costs: which of its front, from 0
    std::string change;                 ///< "conv1 takes mapping 3"; of the fastest: "the fastest"
};

/// From the fastest to the one of least energy, layers one after another with their repeats. Each choice is the best of
/// all for some weighting of energy against latency (a sum of fronts has as its hull the sum of their hulls), so none
/// is beaten in both; choices that are best for no weighting are left out. Layers without a front keep their mapping.
/// Empty where no layer has a front.
std::vector<NetworkChoice> network_front(const Run& run);

}  // namespace tilewright::views
