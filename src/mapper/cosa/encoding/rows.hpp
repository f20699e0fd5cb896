// Rows of every variant: room in the fan-outs (4) and the user's constraints.
#pragma once

#include <cstdint>

#include "mapper/cosa/encoding/encoding.hpp"

namespace tilewright::cosa {

/// log2 of a room in words or instances plus less than half a word, so that neither rounded logarithms nor the solver's
/// tolerance refuse a tile that just fits.
double log_room(double room);

/// Spatial factors fit the mesh of each fan-out; a dimension takes one axis of each.
void add_fanouts(const Encoding& encoding);

void add_constraints(const Encoding& encoding);

}  // namespace tilewright::cosa
