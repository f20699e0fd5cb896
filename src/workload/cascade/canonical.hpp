// One form of what operands stand for, however it was written.
//
// A[2p+r, s+q] with one value of r and of s is A[2p, q]: terms that are always 0 say nothing, and neither does the
// order of the others. The own ranks of an operand, by which its words are counted, follow from its coordinates: terms
// that cannot meet have a rank each. So A[2p] has as many words as p has values, A[64h+e] with e below 64 those of h
// and e, and of 3p+r with r below 2 those between the windows do not count; p+r with p and r of several values is one
// rank, and its words are those of the box around it.
//
// Every einsum of a cascade is in this form (CascadeBuilder::take): searches, models and judges see no other.
// Thread-safe.
#pragma once

#include <vector>

#include "workload/cascade/cascade.hpp"

namespace tilewright {

/// Larger steps first, without terms that are always 0; where there are no others one of these stays.
Coordinate in_one_form(const Einsum& einsum, const Coordinate& coordinate);

/// The ranks of an operand along an axis with this coordinate; none where it has no terms.
std::vector<Rank> own_ranks(const Einsum& einsum, const Coordinate& coordinate);

/// Accesses in one form, and the ranks that follow from them. Operands keep dimensions of results that have one value:
/// shared loops may drive these. Those that may be anywhere have the words of their own ranks.
void make_canonical(CascadeEinsum& one);

}  // namespace tilewright
