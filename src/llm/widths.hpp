// Word widths of weights and caches in serving: e.g. 4 bits and a scale of 8 for every 32 of them.
//
//     Cascade cascade = cascade_at("llama3-8b", point);
//     const std::vector<BlockFormat> blocks =
//         set_widths(cascade, {{"*", "Weights", 4, {32, 8}}, {"*norm*", "Weights", 16}, {"*", "Cache", 8}});
//     footprint_of(cascade, 16, blocks).weight_bytes;
//
// Activations are as wide as the machine's words. Pure functions; thread-safe.
#pragma once

#include <vector>

#include "workload/cascade/cascade.hpp"
#include "workload/widths.hpp"

namespace tilewright::llm {

/// Sets the widths in order, in tensors and operands: for the same tensor the later one counts. TensorWidth::tensor is
/// "Weights" or "Cache", all tensors of the role, or a tensor's name; ::layers are einsums using them ("*": unused
/// tables too). Returns the blocks by tensor of the cascade. Throws InputError(unknown_name).
std::vector<BlockFormat> set_widths(Cascade& cascade, const std::vector<TensorWidth>& widths);

/// Of an einsum's operands. `blocks`: by tensor of the cascade.
BlockFormats blocks_of(const CascadeEinsum& einsum, const std::vector<BlockFormat>& blocks);

}  // namespace tilewright::llm
