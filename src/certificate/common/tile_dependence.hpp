// Whether what zeros save is the same in all tiles: only then does the checker know the shares of words (zeros.hpp).
#pragma once

#include <string>

#include "arch/architecture.hpp"
#include "mapspace/mapspace.hpp"
#include "sparse/design.hpp"
#include "workload/einsum.hpp"

namespace tilewright::certificate {

/// Why what zeros save depends on the tiles of a mapping, or on something else that is not known here, in words; or "":
/// then zero_shares() holds for all mappings of the space.
std::string tile_dependence(const Einsum& einsum, const Architecture& machine, const Mapspace& mapspace,
                            const sparse::Design& design);

}  // namespace tilewright::certificate
