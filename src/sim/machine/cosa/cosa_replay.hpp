// A mapping on CoSA's network and memory (sim/noc/transactions.hpp), with results as of our replay (replay.hpp).
#pragma once

#include "sim/machine/cosa/cosa_program.hpp"
#include "sim/machine/replay.hpp"

namespace tilewright::sim {

/// CoSA's defaults: DDR2-667 of 16 ranks, DRAMSim2's controller and its second interleaving. Values given in `options`
/// replace them.
OneReadMemory cosa_memory(const MachineOptions& options, int terminal);

/// Elements wait for the outermost memory, for words on the links, or for their own results to leave; links and memory
/// accesses are not counted apart.
ReplayResult replay_on_cosa(const CosaProgram& program, const Floor& floor, const MachineOptions& options,
                            const ReplayControl& control = {});

}  // namespace tilewright::sim
