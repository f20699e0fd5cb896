// How wide the words of weights and caches are while a model is served: 4 bits and a scale of 8 for every 32 of them.
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

/// Sets the widths one after the other, in tensors and operands: of two about the same tensor the later one counts.
/// TensorWidth::tensor is "Weights" or "Cache", all tensors of that role, or the name of one of them; ::layers are
/// einsums that use them ("*": also tables that none uses). Returns the blocks by tensor of the cascade. Throws
/// InputError(unknown_name).
std::vector<BlockFormat> set_widths(Cascade& cascade, const std::vector<TensorWidth>& widths);

/// Of the operands of an einsum of the cascade. `blocks`: by tensor of the cascade.
BlockFormats blocks_of(const CascadeEinsum& einsum, const std::vector<BlockFormat>& blocks);

}  // namespace tilewright::llm
