// A mapping as a program of CoSA's simulator (Huang et al., ISCA 2021, section IV-A): transactions over its network.
//
// The memory above the array (the hub) is loaded per step of the outermost memory's loops, at most two steps ahead. Per
// step of its own loops the hub sends the elements' missing words, one packet for all elements with equal words;
// bypassing tensors come from the outermost memory as soon as it is free. All elements compute, even without work.
// Shared results are reduced along the mesh rows and then down, hop by hop, and stored. Equal to 30 recorded layers
// (one with loops at the hub), transaction by transaction; partial sums returning into the array, absent from all of
// them, wait for earlier stores.
#pragma once

#include <string>
#include <vector>

#include "arch/architecture.hpp"
#include "mapping/mapping.hpp"
#include "sim/machine/program.hpp"
#include "sim/noc/transactions.hpp"
#include "workload/einsum.hpp"

namespace tilewright::sim {

struct CosaProgram {
    std::vector<Transaction> transactions;
    int hub = 0;      ///< its terminal
    int dram = 0;     ///< likewise of the outermost memory
    int working = 0;  ///< elements with work, the first ones
};

/// Maximum steps outside the array turned into transactions.
inline constexpr std::int64_t kMostCosaSteps = 20'000;

/// Reason why CoSA's simulator cannot run the mapping on this floor, or "".
std::string problem_with_cosa_program(const Einsum& einsum, const Architecture& architecture, const Mapping& mapping,
                                      const Floor& floor);

/// Requires a legal mapping without a problem.
CosaProgram cosa_program(const Einsum& einsum, const Architecture& architecture, const Mapping& mapping,
                         const Floor& floor);

}  // namespace tilewright::sim
