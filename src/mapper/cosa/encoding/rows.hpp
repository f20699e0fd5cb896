// Rows that every variant shares: room in the fan-outs (4), and what the user's constraints ask for.
#pragma once

#include <cstdint>

#include "mapper/cosa/encoding/encoding.hpp"

namespace tilewright::cosa {

/// log2 of a room in words or instances, a trifle more than exact: less than half of what one word would make, so that
/// the rounding of logarithms and the solver's tolerance cannot refuse a tile that just fits.
double log_room(double room);

/// Spatial factors fit the mesh of each fan-out; a dimension takes one axis of each.
void add_fanouts(const Encoding& encoding);

/// Bounds on factors, and the least parallelism.
void add_constraints(const Encoding& encoding);

}  // namespace tilewright::cosa
