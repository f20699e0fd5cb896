// Proves that no mapping of a mapspace beats a score, assignment by assignment.
//
// Independent of the search: enumerates the assignments from the mapspace, bounds them, and follows those the bounds
// leave open. Shares with it the definition of the mapspace and the cost models (docs/certificate.md lists them),
// nothing else. Thread-safe; deterministic.
#pragma once

#include <cstdint>
#include <functional>

#include "arch/architecture.hpp"
#include "certificate/common/proof.hpp"
#include "mapspace/mapspace.hpp"
#include "sparse/design.hpp"
#include "workload/einsum.hpp"

namespace tilewright::certificate {

/// Lists the assignments. `zeros`: the machine's optimisations, as in prove().
Outline outline(const Einsum& einsum, const Architecture& architecture, const Mapspace& mapspace, const Goal& goal,
                const sparse::Design* zeros = nullptr);

/// Beyond the limits.
bool is_too_long_to_prove(const Einsum& einsum, const Architecture& architecture, const Mapspace& mapspace);

/// Follows the assignments not settled by bounds, until there are doubts. `stop`: polled between assignments; the rest
/// are doubts. `most_assignments`: beyond it, families are listed. `zeros`: the machine's optimisations; null: dense.
/// With zeros requires tile_dependence() == "" (common/zeros.hpp), perfect factors and even storage.
Proof prove(const Einsum& einsum, const Architecture& architecture, const Mapspace& mapspace, const Goal& goal,
            Storage storage, const std::function<bool()>& stop = {}, std::int64_t most_assignments = kMostAssignments,
            const sparse::Design* zeros = nullptr);

/// For tests: C2 bound of an assignment without remainders. Infinite if no tiles fit.
Cost least_cost(const Einsum& einsum, const Architecture& architecture, const Mapspace& mapspace,
                const TilingPoint& assignment, Storage storage);

/// For tests: reports the cost and bound of every nest of the assignments with remainders, once per way to build it.
/// False: an assignment has too many. Requires perfect temporal factors.
bool list_imperfect_nests(
    const Einsum& einsum, const Architecture& architecture, const Mapspace& mapspace,
    const std::function<void(const TilingPoint& nest, const Cost& bound, const Cost& real)>& sink);

}  // namespace tilewright::certificate
