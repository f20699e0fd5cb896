// Reads AccelForge's mappings: the section `mapping`, a tree of !Storage, !Toll, !Temporal, !Spatial, !Sequential,
// !Pipeline, !Nested, !Compute and !Reservation nodes.
#pragma once

#include "accelforge/values/mapping.hpp"
#include "yaml/node.hpp"

namespace tilewright::accelforge {

/// `root` is a loaded tree. Reservations are left out, as in AccelForge. Throws InputError at its place.
MappingTree read_mapping(const yaml::Node& root);

}  // namespace tilewright::accelforge
