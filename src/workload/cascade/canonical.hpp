// Canonical form of accesses.
//
// A[2p+r, s+q] with one value of r and of s is A[2p, q]: zero terms vanish, and order is irrelevant. An operand's own
// ranks, the basis of its word count, follow from its coordinates: terms that cannot meet have a rank each. So A[2p]
// has as many words as p has values, A[64h+e] with e below 64 those of h and e, and 3p+r with r below 2 without those
// between the windows; p+r with p and r of several values is one rank, its words those of the bounding box.
//
// Every einsum of a cascade is in this form (CascadeBuilder::take): searches, models and judges see no other.
// Thread-safe.
#pragma once

#include <vector>

#include "workload/cascade/cascade.hpp"

namespace tilewright {

/// Larger steps first, without zero terms; if all are zero, one stays.
Coordinate in_one_form(const Einsum& einsum, const Coordinate& coordinate);

/// An operand's ranks along an axis with this coordinate; none without terms.
std::vector<Rank> own_ranks(const Einsum& einsum, const Coordinate& coordinate);

/// Canonical accesses, with the ranks that follow. Operands keep single-valued result dimensions: shared loops may
/// drive these. Irregular accesses keep their own ranks' words.
void make_canonical(CascadeEinsum& one);

}  // namespace tilewright
