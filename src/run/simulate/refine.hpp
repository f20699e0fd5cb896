// Re-ranks the best mappings of every layer by simulation: what the model holds for equal, or nearly so, the network
// and the memories of a machine may not.
//
//     NetworkAnswer answer = map_network(problem, options);
//     const std::vector<report::Refinement> refined = refine(problem, {options, machine, floor}, answer);
//
// Free functions on values. The answers are the same on any number of threads, but for a stop.
#pragma once

#include <optional>
#include <vector>

#include "report/report.hpp"
#include "run/map_network.hpp"
#include "run/options.hpp"
#include "run/simulate/simulate_network.hpp"
#include "sim/machine/replay.hpp"

namespace tilewright {

struct RefineOptions {
    MapOptions map;  ///< of the search: its objective ranks with simulated cycles, its seed draws the candidates
    sim::MachineOptions machine;
    sim::Floor floor;
    int candidates = 8;  ///< of a layer, the search's own answer counted
};

/// Simulates each layer's answer and the best mappings around it (mapper/shortlist.hpp; of an uneven answer there are
/// none), and makes that with the best objective, energy by the model and cycles by the simulation, the answer. Of
/// equal ones the first counts. What is claimed of an answer that was replaced is taken back. By shape of the problem;
/// empty where there was no answer. Requires an objective that is not pareto.
std::vector<std::optional<report::Refinement>> refine(const NetworkProblem& problem, const RefineOptions& options,
                                                      NetworkAnswer& answer, const SimulationControl& control = {});

}  // namespace tilewright
