// Expected counts of every access of a layer with zeros. Internal to sparse_model.cpp.
#pragma once

#include "model/evaluation.hpp"
#include "model/sparse/avoided.hpp"
#include "model/sparse/dense_words.hpp"
#include "sparse/expected.hpp"

namespace tilewright::sparse {

/// One mapping of one layer on one machine, and what is known of it. Refers to its parts.
struct Counted {
    const std::vector<Nest>& nests;  ///< nests_of()
    const Design& design;
    const std::vector<std::vector<bool>>& keeps;  ///< by tensor and memory
    const DenseWords& words;
    const Avoided& avoided;
    Chances& chances;

    const Tensor& tensor(int t) const { return nests[t].einsum->tensors[t]; }
    const TensorTraffic& traffic(int memory, int t) const { return words.counted.memories[memory].tensors[t]; }
    /// Null: none.
    const TensorFormat* format(int memory, int t) const;
    bool compressed(int memory, int t) const;
};

/// Throws Uncounted.
Expected expected_counts(const Counted& counted);

/// What a memory's tile of a tensor takes: fields of the room only.
ExpectedTensor expected_room(const Nest& nest, const Design& design, int memory, int tensor, std::int64_t tile_words,
                             Chances& chances);

}  // namespace tilewright::sparse
