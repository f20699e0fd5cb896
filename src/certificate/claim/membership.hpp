// Membership: is a legal mapping one of those that a claim speaks of? Internal to certificate/.
#pragma once

#include "certificate/common/proof.hpp"
#include "mapping/mapping.hpp"
#include "mapspace/mapspace.hpp"

namespace tilewright::certificate {

/// Requires that the mapping is legal (mapping/validity.hpp).
bool is_in(const Mapspace& mapspace, Storage storage, const Einsum& einsum, const Architecture& machine,
           const Mapping& mapping);

}  // namespace tilewright::certificate
