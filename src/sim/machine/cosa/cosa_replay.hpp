// A mapping on CoSA's own network and memory (sim/noc/transactions.hpp), told like a run of ours (replay.hpp).
#pragma once

#include "sim/machine/cosa/cosa_program.hpp"
#include "sim/machine/replay.hpp"

namespace tilewright::sim {

/// As CoSA's simulator has it: DDR2-667 of 16 ranks, under DRAMSim2's controller and its second way to spread
/// addresses. What `options` name themselves takes its place.
OneReadMemory cosa_memory(const MachineOptions& options, int terminal);

/// Elements wait for the outermost memory, for words over the links, or for their own results to leave; links and the
/// accesses to the memory are not counted apart.
ReplayResult replay_on_cosa(const CosaProgram& program, const Floor& floor, const MachineOptions& options,
                            const ReplayControl& control = {});

}  // namespace tilewright::sim
