// Which layouts of the spatial loops have to be followed where all factors divide: a nest only differs in how far words
// travel.
#pragma once

#include <vector>

#include "mapping/tiling_point.hpp"
#include "mapspace/mapspace.hpp"
#include "model/lean/nest.hpp"

namespace tilewright::optimal {

/// Orders of the spatial loops at one memory that are looked through, at most.
inline constexpr double kMostOrders = 50'000.0;

struct Layouts {
    std::vector<TilingPoint> points;
    bool all = true;  ///< false: there are too many, and these are only some of them
};

/// Those layouts of a choice of spatial factors than which no other one is shorter for every tensor. `spatial`: without
/// temporal loops, in its first layout.
Layouts layouts_to_follow(const Mapspace& mapspace, const lean::Setup& setup, const TilingPoint& spatial,
                          lean::LinkCache& links);

}  // namespace tilewright::optimal
