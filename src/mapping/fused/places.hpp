// Source places of a fused mapping, for messages.
#pragma once

#include <string>
#include <vector>

#include "base/error.hpp"
#include "mapping/fused/fused_mapping.hpp"
#include "mapping/fused/validity.hpp"

namespace tilewright {

struct PlacedFusedMapping {
    FusedMapping mapping;
    Location whole;               ///< no file: not read from one
    std::vector<Location> nodes;  ///< by node
};

/// "fused.yaml:7:5: Buffer holds 70 words while ..."; the message alone for a mapping of no file.
std::string placed_text(const FusedViolation& violation, const PlacedFusedMapping& placed);

}  // namespace tilewright
