// The demands of a layer's tiles, kind by kind: what traffic_of() sums up before it looks at caches.
#pragma once

#include <functional>
#include <vector>

#include "silicon/systolic/traffic.hpp"

namespace tilewright::silicon {

/// Tiles of a convolution: the input window is cut at the image, sums are cleared at the first tile of a reduction and
/// written at its last. Of a matrix product: nothing is cleared.
std::vector<TileDemand> demands_of(const TiledLayer& layer, const SystolicMachine& machine);

/// The demands of every tile, one after another in the order of the loops; each has a count of 1.
void for_each_tile(const TiledLayer& layer, const SystolicMachine& machine,
                   const std::function<void(const TileDemand&)>& take);

/// Requests that a row of `stride` bytes takes for each `request` bytes of it, on average: a row that does not begin on
/// a request's boundary crosses one now and then.
double requests_per_piece(std::int64_t stride_bytes, std::int64_t request_bytes);

}  // namespace tilewright::silicon
