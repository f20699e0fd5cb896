// The exact cost model of layers with zeros: expectations over all that the tensors may hold (docs/sparsity.md,
// "Exactly"). tests/oracle/sparse.hpp draws matrices, walks them and is the judge.
//
//     if (check(einsum, architecture, mapping, design).empty())
//         const SparseResult result = evaluate(einsum, architecture, mapping, design);
//
// Pure functions of values; thread-safe.
#pragma once

#include <string>
#include <vector>

#include "arch/architecture.hpp"
#include "mapping/mapping.hpp"
#include "mapping/validity.hpp"
#include "model/evaluation.hpp"
#include "sparse/costs.hpp"
#include "sparse/design.hpp"
#include "sparse/expected.hpp"
#include "workload/einsum.hpp"
#include "workload/words.hpp"

namespace tilewright::sparse {

/// As check() of validity.hpp, but that tiles and their metadata have room at their fullest.
std::vector<Violation> check(const Einsum& einsum, const Architecture& architecture, const Mapping& mapping,
                             const Design& design, const Words& words = {});

struct ExactResult {
    std::string uncounted;  ///< what this account does not count, in words, or "": then the others hold
    Evaluation evaluation;  ///< with what is done: reads, fills and updates on average
    Expected expected;
    Savings savings;  ///< against `evaluation` were nothing done about zeros
};

/// Requires a density and a memory's design for every tensor and memory, and check() of validity.hpp to find nothing
/// but room; of partial sums, problem_with() of partial_sums.hpp as well. Tensors of which a dimension moves two ranks
/// are not counted. Throws OverflowError.
ExactResult evaluate(const Einsum& einsum, const Architecture& architecture, const Mapping& mapping,
                     const Design& design, const Words& words = {});

/// Per instance and as whole numbers, as reports say it.
Costs rounded(const ExactResult& result, const Einsum& einsum, const Architecture& architecture, const Design& design);

}  // namespace tilewright::sparse
