// Words of several widths: a tensor's share of memories and wires when the layer gives its bits (docs/model.md, "Words
// of several widths"). By default words have the memory's width.
//
// Example: in a buffer of 16-bit words, four to a row, a row holds 16 weights of 4 bits, and 64 words of capacity hold
// 256 of them: words_per_access() is 16, capacity_of() counts in units of 4 bits. Pure functions; thread-safe.
// Memory::bandwidth_scale by tensor: by name, else for written tensors by the role Outputs.
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

/// The same in a memory, possibly bypassed by scales.
inline std::int64_t bits_of(const Tensor& tensor, const Memory& memory) {
    return bits_of(tensor, memory.word_bits) - (memory.holds_scales ? 0 : tensor.scale_bits);
}

/// Words of the tensor per memory access: as many as fit a row (block_words words). A word wider than a row takes
/// several accesses: 1/2, 1/3, ...
double words_per_access(const Tensor& tensor, const Memory& memory);

/// Bandwidth of a word of the tensor, in words of the memory; Memory::bandwidth_scale included.
double bandwidth_share(const Tensor& tensor, const Memory& memory);

/// Cost of a word of the tensor on a link, in words of the link.
double link_share(const Tensor& tensor, const Link& link);

/// Tiles of the tensor that the memory holds at once: by name, else by role.
std::int64_t buffers_of(const Memory& memory, const Einsum& einsum, int tensor);

/// A memory's rule for tiles of the tensors that use a dimension.
struct TileBound {
    int dimension = 0;
    TensorSet tensors;
    TileRule rule;

    bool allows(TensorSet kept, std::int64_t extent) const {
        return (kept.bits() & tensors.bits()) == 0 || rule.allows(extent);
    }
};

/// Rules for dimensions that the einsum has.
std::vector<TileBound> tile_bounds(const Memory& memory, const Einsum& einsum);

/// A layer's capacity demand on a memory. The unit is the largest common divisor of the word widths of memory and
/// tensors: a word if no tensor gives a width.
struct Capacity {
    std::int64_t units_per_word = 1;                      ///< of the memory
    std::optional<std::int64_t> usable;                   ///< units; empty: unlimited
    std::array<std::int64_t, kMaxTensors> per_word = {};  ///< units, by tensor
    /// A tensor's room is a multiple of so many units: the memory's alignment times the tensor's buffers.
    std::array<std::int64_t, kMaxTensors> multiple = {};
    double least = 0.0;  ///< units demanded by min_utilization

    /// Units for a tile of these words, in all its buffers. Throws OverflowError.
    std::int64_t units(int tensor, std::int64_t tile_words) const;
    /// Words of the memory for these units, the last one possibly partial.
    std::int64_t words(std::int64_t units) const { return units / units_per_word + (units % units_per_word > 0); }
};

/// Throws OverflowError.
Capacity capacity_of(const Memory& memory, const Einsum& einsum);

/// Empty without an entry: 1.
std::optional<double> bandwidth_scale(const Tensor& tensor, const Memory& memory);

}  // namespace tilewright
