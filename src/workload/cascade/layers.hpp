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

/// The operands of an einsum that are the same for every input: the role of their tensors is weight.
TensorSet weights_of(const Cascade& cascade, int einsum);

/// The layers that an einsum is mapped as. A unit of an array has two operands and a result: an einsum with more
/// operands is as many layers as it takes, each with what the one before made and one operand more; one with several
/// results is a layer for each. As many points as the einsum has in the last of them, and as many words of every
/// operand and result. Dimensions that move all operands are G, those that move all but the second N, those that move
/// all but the first K, those that are reduced C; others keep their names. Operands are Inputs and Weights, the result
/// is Outputs; of the first two the one of `weights` is Weights (workload/layer_roles.hpp). Where a rank is a sum of
/// dimensions (windows), or the tensors have these names already, dimensions stay as they are. Never empty.
std::vector<Einsum> layers_of(const CascadeEinsum& einsum, TensorSet weights = {});

/// The reason for what computes nothing.
inline constexpr const char* kOnlyMovesData = "only moves data";

/// Every einsum for which `wanted` says so as its layers, in order, with the repeats of its block: NAME, NAME/2, ...
/// What is not covered is unmapped, with its reason, and so is what only moves data and is not wanted.
Network network_of(const Cascade& cascade, const std::vector<bool>& wanted);
/// All of them but those that compute nothing.
Network network_of(const Cascade& cascade);

}  // namespace tilewright
