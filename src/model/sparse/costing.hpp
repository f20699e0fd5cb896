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

/// Whose counts they are. Refers to its parts.
struct Costed {
    const Einsum& einsum;
    const Architecture& architecture;
    const Design& design;
    const Nest& nest;
    const DenseWords& words;
};

struct CostsOfCounts {
    Evaluation evaluation;
    Savings savings;
};

/// Energies, cycles and what binds them; rows are those that the mean number of words fills.
CostsOfCounts costs_of(const Expected& expected, const Costed& costed);

}  // namespace tilewright::sparse
