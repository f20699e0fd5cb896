// SPDX-License-Identifier: Apache-2.0
// evaluate(): what a legal mapping costs by the exact model, down to each tensor at each memory.
//
//     const Evaluation cost = evaluate(einsum, architecture, mapping);
//     std::cout << cost.energy_pj << " pJ, " << cost.cycles << " cycles\n";
//
// Counts are words over all instances, energies pJ. Requires check() to be empty (validity.hpp): std::invalid_argument
// otherwise; throws OverflowError. Thread-safe: pure. docs/model.md derives the counts.
#pragma once

#include "model/evaluation.hpp"
#include "model/exact/model.hpp"
