// Whether zeros save the same share in all tiles: the condition of zeros.hpp.
#pragma once

#include <string>

#include "arch/architecture.hpp"
#include "mapspace/mapspace.hpp"
#include "sparse/design.hpp"
#include "workload/einsum.hpp"

namespace tilewright::certificate {

/// Reason the savings depend on tiles or are unknown, in words; "": zero_shares() holds for the whole space.
std::string tile_dependence(const Einsum& einsum, const Architecture& machine, const Mapspace& mapspace,
                            const sparse::Design& design);

}  // namespace tilewright::certificate
