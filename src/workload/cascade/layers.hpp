// A cascade as layers that are mapped one by one: what it costs unfused.
//
// An einsum of a cascade tells apart what its tensors do (batch, heads, groups of queries); a mapping of it alone does
// not care. Dimensions that move the same operands are one there, and everything has the names of workload/shapes.hpp,
// so that the constraints of a machine apply:
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

/// The shape that an einsum is mapped as. As many points and words of every operand as the einsum has. Dimensions that
/// move all operands are G, those that move all but the second N, those that move all but the first K, those that are
/// reduced C; others keep their names. Operands are Inputs, Weights, Operand3, ...; the result is Outputs, a second one
/// Outputs2. Where a rank is a sum of dimensions (windows), or the tensors have these names already, it stays as it is.
Einsum layer_of(const CascadeEinsum& einsum);

/// Every einsum for which `wanted` says so as a layer, in order, with the repeats of its block. What is not covered is
/// unmapped, with its reason.
Network network_of(const Cascade& cascade, const std::vector<bool>& wanted);
/// All of them but those that compute nothing.
Network network_of(const Cascade& cascade);

}  // namespace tilewright
