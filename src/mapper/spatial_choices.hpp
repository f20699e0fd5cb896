// The spatial loops that use a machine's array best. Internal to mapper/.
#pragma once

#include <vector>

#include "mapspace/mapspace.hpp"

namespace tilewright {

/// At most `most` points with different spatial loops, best first; all their other factors are 1. Better is what uses
/// more compute units and, among equals, spreads over more dimensions (ZigZag's indicator). Where there are too many
/// ways to list them all, random ones are looked at, too.
std::vector<TilingPoint> best_spatial_choices(const Mapspace& mapspace, int most);

}  // namespace tilewright
