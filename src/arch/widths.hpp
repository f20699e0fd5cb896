// Words of several widths: what a tensor's words take of memories and wires when the layer says how many bits they have
// (docs/model.md, "Words of several widths"). A tensor that does not say has words of the memory's width.
//
// Example: in a buffer of 16-bit words, four to a row, a row holds 16 weights of 4 bits, and 64 words of capacity hold
// 256 of them: words_per_access() is 16, capacity_of() counts in units of 4 bits. Pure functions; thread-safe.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "arch/architecture.hpp"
#include "workload/einsum.hpp"

namespace tilewright {

/// Bits of a word of `tensor` in a memory of words of `word_bits`.
inline std::int64_t bits_of(const Tensor& tensor, std::int64_t word_bits) {
    return tensor.bits > 0 ? tensor.bits : word_bits;
}

/// The same in a memory, which scales may pass by.
inline std::int64_t bits_of(const Tensor& tensor, const Memory& memory) {
    return bits_of(tensor, memory.word_bits) - (memory.holds_scales ? 0 : tensor.scale_bits);
}

/// Words of the tensor that one access of the memory moves: as many as a row (block_words words) has room for. A word
/// that is wider than a row takes several accesses: 1/2, 1/3, ...
double words_per_access(const Tensor& tensor, const Memory& memory);

/// What a word of the tensor takes of the memory's bandwidth, in words of the memory; Memory::bandwidth_scale included.
double bandwidth_share(const Tensor& tensor, const Memory& memory);

/// What a word of the tensor costs on a link, in words of the link.
double link_share(const Tensor& tensor, const Link& link);

/// What the tensors of a layer take of a memory. The unit is the largest width of which the memory's words and all
/// tensors' words are multiples: a word where no tensor says its own width.
struct Capacity {
    std::int64_t units_per_word = 1;                      ///< of the memory
    std::optional<std::int64_t> usable;                   ///< units; empty: unlimited
    std::array<std::int64_t, kMaxTensors> per_word = {};  ///< units, by tensor
    double least = 0.0;                                   ///< units that min_utilization asks for

    /// Words of the memory that so many units take, the last one perhaps in part.
    std::int64_t words(std::int64_t units) const { return units / units_per_word + (units % units_per_word > 0); }
};

/// Throws OverflowError.
Capacity capacity_of(const Memory& memory, const Einsum& einsum);

}  // namespace tilewright
