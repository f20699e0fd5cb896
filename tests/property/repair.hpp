// Makes a nest whole after its einsum or its loops changed.
#pragma once

#include "mapping/mapping.hpp"
#include "nest.hpp"

namespace tilewright::property {

/// Cuts, adds and completes loops so that each dimension is covered exactly once, and sets every mesh to the smallest
/// that the spatial loops fit on. Keeps what already fits.
void repair(Nest& nest, std::vector<MappingLevel> levels);

/// The same for the loops that the nest has.
void repair(Nest& nest);

}  // namespace tilewright::property
