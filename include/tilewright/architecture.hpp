// SPDX-License-Identifier: Apache-2.0
// Architecture: a chain of memories over an array of multiply-accumulate units; estimate() fills in what was not given.
//
//     Architecture machine;
//     machine.memories.resize(2);                       // outermost first
//     machine.memories[0].name = "DRAM";
//     machine.memories[1].name = "Buffer";
//     machine.memories[1].capacity_words = 4096;        // of one instance
//     machine.memories[1].geometry = {.technology = "45nm", .kind = "SRAM", .depth = 512, .width_bits = 128};
//     for (const std::string& note : estimate(machine)) std::cerr << note << '\n';
//
// Energies are pJ, areas um2, capacities and bandwidths words. Thread-safe: values and pure functions. Machines in
// files and by name are read by machine.hpp.
#pragma once

#include "arch/architecture.hpp"
#include "arch/estimation/estimate.hpp"
