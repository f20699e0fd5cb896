// What expected counts cost. Internal to sparse_model.cpp.
#pragma once

#include "arch/architecture.hpp"
#include "model/evaluation.hpp"
#include "model/exact/nest.hpp"
#include "model/sparse/dense_words.hpp"
#include "sparse/costs.hpp"
#include "sparse/design.hpp"
#include "sparse/expected.hpp"

namespace tilewright::sparse {

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

}  // namespace tilewright::sparse
