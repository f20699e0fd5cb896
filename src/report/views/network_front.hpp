// The front of a whole network in energy and latency: one mapping for every layer.
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
    std::vector<std::size_t> mappings;  ///< by layer with costs: index in its front, from 0
    std::string change;                 ///< "conv1 takes mapping 3"; of the fastest: "the fastest"
};

/// From the fastest to the least energy, layers one after another with their repeats. Each choice is optimal for some
/// weighting of energy against latency (a sum of fronts has the sum of their hulls as its hull), so none is dominated;
/// choices optimal for no weighting are left out. Layers without a front keep their mapping. Empty without any front.
std::vector<NetworkChoice> network_front(const Run& run);

}  // namespace tilewright::views
