// What the words of a layer are in one mapping, were nothing zero. Internal to sparse_model.cpp.
// What words in blocks that share a scale take where those that are zero are not stored (docs/sparsity.md, rule 10).
#pragma once

#include <cstdint>
#include <vector>

#include "arch/architecture.hpp"
#include "mapping/mapping.hpp"
#include "mapping/tile.hpp"
#include "model/evaluation.hpp"
#include "model/exact/costs.hpp"
#include "sparse/density.hpp"
#include "workload/einsum.hpp"
#include "workload/words.hpp"

namespace tilewright::sparse {

struct DenseWords {
    Evaluation counted;  ///< all words as wide as final ones: its counts hold
    Evaluation costed;   ///< each word as wide as it is
    PartialBits partial_bits;
    Evaluation of_partial;                           ///< no word final; only where some are partial
    std::vector<std::vector<double>> final_updates;  ///< of partial_sums.hpp, by memory and tensor; else 0
    std::vector<std::vector<double>> final_below;

    bool has_partial(int tensor) const {
        return tensor < static_cast<int>(partial_bits.size()) && partial_bits[tensor] > 0;
    }
    /// A memory has to have room for partial sums of a tensor that it keeps.
    bool holds_partial(int memory, int tensor) const;
};

DenseWords dense_words(const Einsum& einsum, const Architecture& architecture, const Mapping& mapping,
                       const Words& words);

/// What words of a memory's tile have to have room for, bits.
struct TileRoom {
    std::int64_t word_bits = 0;
    std::int64_t scale_bits = 0;
    std::int64_t scales = 0;  ///< of the whole tile, were nothing zero

    /// Of so many words that are stored. Throws OverflowError.
    std::int64_t bits(std::int64_t words) const;
};

/// By tensor and memory: the box of iterations inside the tensor's store.
std::vector<std::vector<Extents>> tiles_of(const Einsum& einsum, const Mapping& mapping, int memories);

/// By memory and tensor. `dense`: of the same mapping; needed with partial sums of another width only.
std::vector<std::vector<TileRoom>> tile_rooms(const Einsum& einsum, const Architecture& architecture,
                                              const Mapping& mapping, const Words& words, const DenseWords& dense);

/// By tensor: what a stored word takes where zeros are left out, in words that move where they are not. A word has an
/// equal share of the scales of those blocks of its tensor in which something is not zero: 1 without blocks, else at
/// least that. Throws Uncounted.
std::vector<double> stored_widths(const Einsum& einsum, const std::vector<Density>& densities,
                                  const BlockFormats& formats);

/// Rows of a memory as words of so many bits see them, perhaps parts of a bit.
Rows rows_of_bits(const Memory& memory, double bits);

}  // namespace tilewright::sparse
