// Cost of a cascade's einsum on a vector unit.
//
// Every word of every operand comes once from the outermost memory, through each between, to the unit's memory, and is
// read from there once; every word of a result takes the way back. A memory thus has one read (and, but for the
// outermost, one fill) per operand word, one update per result word. Broadcast or summed values stay in the unit's
// registers. Operations follow one another at their rates, in parallel with the memories: the slowest decides. Memories
// further in and wires have no part. Pure; thread-safe.
#pragma once

#include "arch/architecture.hpp"
#include "arch/vector_unit.hpp"
#include "model/evaluation.hpp"
#include "workload/cascade/cascade.hpp"

namespace tilewright {

/// Evaluation::computes are the points of the einsum, its tensors are those of einsum.einsum; units of the array are
/// not used. Requires the unit's memory to be one of the architecture's. Throws OverflowError.
Evaluation evaluate_on_vector_unit(const CascadeEinsum& einsum, const Architecture& architecture,
                                   const VectorUnit& unit);

}  // namespace tilewright
