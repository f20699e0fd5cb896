// Assignments: all ways to choose the spatial factors and the kept tensors of a mapspace. Internal to certificate/.
#pragma once

#include <string>
#include <vector>

#include "mapping/perfect.hpp"
#include "mapspace/mapspace.hpp"

namespace tilewright::certificate {

/// In the mapspace's order, without temporal loops. `axes_matter`: wires cost energy; else it does not matter which
/// axis a spatial loop runs along, and one choice stands for all.
std::vector<PerfectPoint> assignments_of(const Mapspace& mapspace, bool axes_matter);

/// "k7 k5 s14.1.2 y4 k1": per memory, the bits of the tensors it keeps, its spatial factors by dimension and the bits
/// of those along Y, where there are any.
std::string to_text(const PerfectPoint& assignment);

}  // namespace tilewright::certificate
