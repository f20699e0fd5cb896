// Mappings simulated beside a line of progress: what simulate does with them, and compare --simulate.
#pragma once

#include <string>
#include <vector>

#include "options/verb.hpp"
#include "report/simulation/simulation.hpp"
#include "run/simulate/simulate_network.hpp"
#include "sim/machine/replay.hpp"

namespace tilewright::cli {

struct SimulationWork {
    sim::MachineOptions machine;
    sim::Floor floor;
    int threads = 0;     ///< 0: all there are
    bool trace = false;  ///< what was busy when, for pictures
    bool quiet = false;
};

/// Fills in the layers of `simulation`, whose architecture is known, until Ctrl-C.
void simulate_mappings(const std::vector<Replayed>& layers, const SimulationWork& work, report::Simulation& simulation);

/// Says on standard error why layers were not simulated.
ExitStatus finish_simulation(const report::Simulation& simulation);

}  // namespace tilewright::cli
