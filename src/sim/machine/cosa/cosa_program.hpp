// A mapping as CoSA's simulator runs it (Huang et al., ISCA 2021, section IV-A): transactions over its network.
//
// The memory above the array (the hub) is loaded for every step of the loops at the outermost memory, two steps ahead
// at most. For every step of the loops at the hub it sends what its elements lack, one packet for all elements with the
// same words; tensors that pass it by come from the outermost memory, whenever it is free. All elements compute, also
// those without work. Results that several elements share are added up along the rows of the mesh and then down, hop
// by hop, and stored. 30 recorded layers, of which one has loops at the hub, are the same transaction by transaction;
// partial sums that go back into the array, which none of them has, wait for what was stored before.
#pragma once

#include <string>
#include <vector>

#include "arch/architecture.hpp"
#include "mapping/mapping.hpp"
#include "sim/machine/floor.hpp"
#include "sim/noc/transactions.hpp"
#include "workload/einsum.hpp"

namespace tilewright::sim {

struct CosaProgram {
    std::vector<Transaction> transactions;
    int hub = 0;      ///< its terminal
    int dram = 0;     ///< likewise of the outermost memory
    int working = 0;  ///< elements that have work: the first so many
};

/// Steps outside the array that are turned into transactions at most.
inline constexpr std::int64_t kMostCosaSteps = 20'000;

/// Why CoSA's simulator cannot run the mapping on this floor, or "".
std::string problem_with_cosa_program(const Einsum& einsum, const Architecture& architecture, const Mapping& mapping,
                                      const Floor& floor);

/// Requires a legal mapping without a problem.
CosaProgram cosa_program(const Einsum& einsum, const Architecture& architecture, const Mapping& mapping,
                         const Floor& floor);

}  // namespace tilewright::sim
