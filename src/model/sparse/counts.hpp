// Expected counts of every access of a layer with zeros. Internal to sparse_model.cpp.
#pragma once

#include "arch/architecture.hpp"
#include "model/evaluation.hpp"
#include "model/exact/nest.hpp"
#include "model/sparse/avoided.hpp"
#include "model/sparse/dense_words.hpp"
#include "model/sparse/iterations.hpp"
#include "model/sparse/tree.hpp"
#include "sparse/costs.hpp"
#include "sparse/design.hpp"
#include "sparse/expected.hpp"

namespace tilewright::sparse {

/// One mapping of one layer on one machine. Refers to its parts.
struct Mapped {
    const std::vector<Nest>& nests;  ///< nests_of()
    const Design& design;
    const std::vector<std::vector<bool>>& keeps;  ///< by tensor and memory
    const DenseWords& words;

    const Tensor& tensor(int t) const { return nests[t].einsum->tensors[t]; }
    const TensorTraffic& traffic(int memory, int t) const { return words.counted.memories[memory].tensors[t]; }
    /// Null: none.
    const TensorFormat* format(int memory, int t) const;
    bool compressed(int memory, int t) const;
};

/// And what is known of it.
struct Counted : Mapped {
    const Avoided& avoided;
    Chances& chances;
};

/// Of perfect factors; others: imperfect_counts(). Throws Uncounted.
Expected expected_counts(const Counted& counted);

/// Throws Uncounted where a format arrives that a memory does not take.
void refuse_formats(const Mapped& counted, const Access& access);

/// A difference; what doubles leave of one of equal means is none.
double difference(double all, double part);

/// Neighbours between which words meet that two dimensions move: not all multicasts are alike.
bool has_mixed_neighbours(const Nest& nest, const Access& access);

/// The room of a tile without a format.
ExpectedTensor plain_room(std::int64_t tile_words);
/// Metadata of a tile with `most` elements that are not zero.
void set_most_metadata(const TensorFormat& format, const std::vector<Fibres>& tree, std::int64_t most,
                       ExpectedTensor& room);

/// What a memory's tile of a tensor takes: fields of the room only.
ExpectedTensor expected_room(const Nest& nest, const Design& design, int memory, int tensor, std::int64_t tile_words,
                             Chances& chances);

// What expected counts cost. Internal to sparse_model.cpp.

/// Whose counts they are, in parts of a bit. Refers to its parts.
struct Costed {
    const Einsum& einsum;              ///< with words that move
    const Architecture& architecture;  ///< in the same parts
    const Design& design;
    const Nest& nest;
    const DenseWords& words;
    std::int64_t parts_of_bit = 1;
    std::vector<double> stored_widths;  ///< stored_words.hpp
};

struct CostsOfCounts {
    Evaluation evaluation;
    Savings savings;
};

/// Energies, cycles and what binds them, but for the room that is used; rows are those that the mean number of words
/// fills.
CostsOfCounts costs_of(const Expected& expected, const Costed& costed);

// Expected counts of every access of a layer with zeros in a nest with remainders. Internal to sparse_model.cpp.

/// As expected_counts(). Throws Uncounted.
Expected imperfect_counts(const Mapped& mapped, const Architecture& architecture);

/// As expected_room(), on average of all tiles and the largest one's.
ExpectedTensor imperfect_room(const Nest& nest, const Design& design, int memory, int tensor, std::int64_t tile_words,
                              Iterations& iterations);

}  // namespace tilewright::sparse
