// Timeloop's built-in fallback without given energies (its "PAT"): a straight line through Eyeriss' relative costs.
// Formulas: docs/estimation.md; Timeloop's own are in pat-public/src/pat/pat.cpp.
#pragma once

#include "arch/architecture.hpp"

namespace tilewright::pat {

/// pJ of one vector access, for every action. 0 for a memory without storage or without a capacity.
Sourced memory_energy(const Memory& memory);

/// pJ of one multiplication of `word_bits`.
Sourced compute_energy(std::int64_t word_bits);

}  // namespace tilewright::pat
