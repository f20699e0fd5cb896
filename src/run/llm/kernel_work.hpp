// What the einsums of a cascade take on a machine of kernels (silicon/kernels): a GPU or a TPU as built.
//
// Products run as batches of products, attention of the usual form as one kernel, all else as one pass over its words
// each. Energies: of a product, those of its mapping; of a pass, the words of its operands in the outermost memory,
// without its operations. Pure; thread-safe.
#pragma once

#include <optional>
#include <string>

#include "arch/architecture.hpp"
#include "llm/attention.hpp"
#include "llm/serving.hpp"
#include "silicon/kernels/attention.hpp"
#include "silicon/kernels/batched.hpp"
#include "workload/cascade/cascade.hpp"

namespace tilewright {

struct KernelTime {
    double seconds = 0.0;
    std::string bound;
};

KernelTime time_of_products(const silicon::ProductBatch& batch, const silicon::KernelMachine& machine);

/// Every operand once through memory, in one launch.
KernelTime time_of_pass(const CascadeEinsum& einsum, const silicon::KernelMachine& machine);
double energy_of_pass_pj(const CascadeEinsum& einsum, const Architecture& architecture);

/// `kind`: what the software's kernel does. Without a cache the full square is computed.
KernelTime time_of_attention(const llm::Attention& attention, const llm::Point& point, silicon::AttentionKind kind,
                             const silicon::KernelMachine& machine);

}  // namespace tilewright
