// Neighbouring einsums of a cascade as a cascade of their own: of a block, one of its repeats.
//
// Pure functions; thread-safe.
#pragma once

#include "workload/cascade/cascade.hpp"

namespace tilewright {

/// Einsums first <= i < end, inside one block or outside all of them. What einsums elsewhere write is an input of the
/// part, what they read or a later repeat carries on an output; weights and caches stay such. Without blocks. A tensor
/// that several einsums write, of which not all are in the part, is written in part: problem_with() names it.
Cascade part_of(const Cascade& cascade, int first, int end);

/// Whether two differ in no more than the names of cascade, einsums and tensors.
bool is_same_but_for_names(const Cascade& one, const Cascade& other);

}  // namespace tilewright
