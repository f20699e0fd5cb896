// Re-ranks the best mappings of every layer by simulation, to separate the model's near ties.
//
//     NetworkAnswer answer = map_network(problem, options);
//     const std::vector<report::Refinement> refined = refine(problem, {options, machine, floor}, answer);
//
// Free functions on values. Any number of threads gives the same answers, but for a stop.
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
    int candidates = 8;  ///< of a layer, with the search's own answer
};

/// Simulates each layer's answer and the best mappings around it (mapper/shortlist.hpp; none for an uneven answer), and
/// makes the best the answer: energy by the model, cycles by the simulation. Of equals the first counts. Claims about a
/// replaced answer are withdrawn. By shape of the problem; empty without an answer. Requires an objective other than
/// pareto.
std::vector<std::optional<report::Refinement>> refine(const NetworkProblem& problem, const RefineOptions& options,
                                                      NetworkAnswer& answer, const SimulationControl& control = {});

}  // namespace tilewright
