// The spatial loops that use a machine's array best. Internal to mapper/.
#pragma once

#include <vector>

#include "mapspace/mapspace.hpp"

namespace tilewright {

/// At most `most` points with different spatial loops, best first; other factors are 1. Ranked by compute units in use,
/// then by dimensions spread (ZigZag's indicator). If there are too many to list, random ones are added.
std::vector<TilingPoint> best_spatial_choices(const Mapspace& mapspace, int most);

}  // namespace tilewright
