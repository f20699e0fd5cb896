// tilewright compare, of simulations: simulated cycles beside the model's, by layer and by what they went to.
#pragma once

#include <string>
#include <vector>

#include "report/views/figures.hpp"
#include "report/views/run.hpp"

namespace tilewright::cli {

/// A row for every layer that was simulated: the cycles of the runs, or, without runs, of the first simulation's model;
/// then, of every simulation, its cycles, how many times the first column that is, and the term that was
/// underestimated. Below it, by simulation, the terms summed over the layers, each as often as it runs. Requires a
/// simulation.
std::string simulations_text(const std::vector<views::Run>& runs, const std::vector<views::Simulation>& simulations);

}  // namespace tilewright::cli
