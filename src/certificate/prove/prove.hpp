// Proves that no mapping of a mapspace beats a score, assignment by assignment.
//
// The proof is this room's own: it enumerates the assignments from the mapspace, bounds them, and follows those that
// the bounds leave open. With the search that found the mapping it shares the definition of the mapspace and what
// counts mappings (docs/certificate.md lists it), nothing else. Thread-safe; deterministic.
#pragma once

#include <cstdint>
#include <functional>

#include "arch/architecture.hpp"
#include "certificate/common/goal.hpp"
#include "certificate/common/proof.hpp"
#include "mapspace/mapspace.hpp"
#include "sparse/design.hpp"
#include "workload/einsum.hpp"

namespace tilewright::certificate {

/// Lists the assignments. `zeros`: what the machine does about them, as in prove().
Outline outline(const Einsum& einsum, const Architecture& architecture, const Mapspace& mapspace, const Goal& goal,
                const sparse::Design* zeros = nullptr);

/// There are more than that.
bool is_too_long_to_prove(const Einsum& einsum, const Architecture& architecture, const Mapspace& mapspace);

/// Follows every assignment that has to be, until there are doubts. `stop`: asked between assignments;
/// what is not looked at then is a doubt. `most_assignments`: of more, families are gone through. `zeros`: what the
/// machine does about them; null: nothing. Requires with it that tile_dependence() (common/tile_dependence.hpp) finds
/// nothing, perfect factors and even storage.
Proof prove(const Einsum& einsum, const Architecture& architecture, const Mapspace& mapspace, const Goal& goal,
            Storage storage, const std::function<bool()>& stop = {}, std::int64_t most_assignments = kMostAssignments,
            const sparse::Design* zeros = nullptr);

/// For tests: all mappings with these spatial factors and kept tensors, which leave no remainders, cost at least this,
/// as far as the checker can tell without following their loops. Infinite where no tiles fit.
Cost least_cost(const Einsum& einsum, const Architecture& architecture, const Mapspace& mapspace,
                const TilingPoint& assignment, Storage storage);

/// For tests: tells of every nest of the assignments that leave remainders what it costs and how the checker bounds it,
/// once for every way to build it. False: an assignment has too many. Requires a mapspace whose temporal factors
/// divide.
bool list_imperfect_nests(
    const Einsum& einsum, const Architecture& architecture, const Mapspace& mapspace,
    const std::function<void(const TilingPoint& nest, const Cost& bound, const Cost& real)>& sink);

}  // namespace tilewright::certificate
