// Times of a cascade's einsums on a machine of kernels (silicon/kernels): a GPU or a TPU as built.
//
// Products run as batches of products, attention of the usual form as one kernel, all else as one pass over its words
// each. Energies: of a product, its mapping's; of a pass, its operands' words in the outermost memory, without
// operations. Pure; thread-safe.
#pragma once

#include <optional>
#include <string>

#include "arch/architecture.hpp"
#include "arch/blocks.hpp"
#include "llm/attention.hpp"
#include "llm/serving.hpp"
#include "silicon/kernels/attention.hpp"
#include "silicon/kernels/implicit.hpp"
#include "workload/cascade/cascade.hpp"

namespace tilewright {

struct KernelTime {
    double seconds = 0.0;
    std::string bound;
};

KernelTime time_of_products(const silicon::ProductBatch& batch, const silicon::KernelMachine& machine);

/// The same product with the layer's word widths, of operands and result. `blocks`: by tensor.
silicon::ProductBatch with_widths(silicon::ProductBatch batch, const Einsum& layer, const BlockFormats& blocks);

/// Every operand once through memory, in one launch. `blocks`: by operand.
KernelTime time_of_pass(const CascadeEinsum& einsum, const BlockFormats& blocks, const silicon::KernelMachine& machine);
double energy_of_pass_pj(const CascadeEinsum& einsum, const BlockFormats& blocks, const Architecture& architecture);

/// `kind`: the software's kernel. Without a cache the full square is computed. `kept_bytes`: mean of a word of keys and
/// values; 0: the machine's words.
KernelTime time_of_attention(const llm::Attention& attention, const llm::Point& point, silicon::AttentionKind kind,
                             double kept_bytes, const silicon::KernelMachine& machine);

}  // namespace tilewright
