// A cascade as separately mapped layers: its unfused cost.
//
// An einsum of a cascade distinguishes batch, heads and groups of queries; a separate mapping need not. Dimensions
// relevant to the same operands are merged, and names are those of workload/shapes.hpp, so that a machine's constraints
// apply:
//
//     S[b,h,g,m,l] += Q[b,m,h,g,e] * K[b,h,l,e]  is  batched_matmul(b*h, g*m, e, l): grouped queries are rows
//     X[b,m,d] + Y[b,m,d]                        is  Outputs[G] += Inputs[G] * Weights[G], G = b*m*d
//
// Pure functions; thread-safe.
#pragma once

#include <vector>

#include "workload/cascade/cascade.hpp"
#include "workload/network.hpp"

namespace tilewright {

/// The einsum's operands in the role of weights: the same for every input.
TensorSet weights_of(const Cascade& cascade, int einsum);

/// Layers of an einsum. An array unit has two operands and a result: an einsum with more operands becomes several
/// layers, each with the previous result and one more operand; one with several results a layer for each. The last has
/// the einsum's points, and every operand and result its words. Dimensions relevant to all operands are G, to all but
/// the second N, to all but the first K, reduced ones C; others keep their names. Operands are Inputs and Weights, the
/// result is Outputs; of the first two the one of `weights` is Weights (workload/layer_roles.hpp). With a rank that is
/// a sum of dimensions (windows), or tensors already so named, dimensions stay. Never empty.
std::vector<Einsum> layers_of(const CascadeEinsum& einsum, TensorSet weights = {});

/// The reason for pure data movement.
inline constexpr const char* kOnlyMovesData = "only moves data";

/// The `wanted` einsums as layers, in order, with the repeats of their block: NAME, NAME/2, ... Uncovered operators are
/// unmapped, with their reason, and so is unwanted data movement.
Network network_of(const Cascade& cascade, const std::vector<bool>& wanted);
/// All of them except pure data movement.
Network network_of(const Cascade& cascade);

// Neighbouring einsums of a cascade as a cascade of their own: of a block, one of its repeats.
//
// Pure functions; thread-safe.

/// Einsums first <= i < end, inside one block or outside all of them. What einsums elsewhere write is an input of the
/// part, what they read or a later repeat carries on an output; weights and caches stay such. Without blocks. A tensor
/// that several einsums write, of which not all are in the part, is written in part: problem_with() names it.
Cascade part_of(const Cascade& cascade, int first, int end);

/// Whether two differ in no more than the names of cascade, einsums and tensors.
bool is_same_but_for_names(const Cascade& one, const Cascade& other);

}  // namespace tilewright
