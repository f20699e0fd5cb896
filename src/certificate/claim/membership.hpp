// Membership of a legal mapping in a claim's space. Internal to certificate/.
#pragma once

#include "certificate/common/proof.hpp"
#include "mapping/mapping.hpp"
#include "mapspace/mapspace.hpp"

namespace tilewright::certificate {

/// Requires a legal mapping (mapping/validity.hpp).
bool is_in(const Mapspace& mapspace, Storage storage, const Einsum& einsum, const Architecture& machine,
           const Mapping& mapping);

}  // namespace tilewright::certificate
