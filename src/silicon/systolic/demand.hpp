// Demands of a layer's tiles, kind by kind: the summands of traffic_of() before caches.
#pragma once

#include <functional>
#include <vector>

#include "silicon/systolic/traffic.hpp"

namespace tilewright::silicon {

/// Tiles of a convolution: the input window is cut at the image, sums are cleared at a reduction's first tile and
/// written at its last. Of a matrix product: nothing is cleared.
std::vector<TileDemand> demands_of(const TiledLayer& layer, const SystolicMachine& machine);

/// The demands of every tile in loop order; each has a count of 1.
void for_each_tile(const TiledLayer& layer, const SystolicMachine& machine,
                   const std::function<void(const TileDemand&)>& take);

/// Mean requests per `request` bytes of rows of `stride` bytes: an unaligned row crosses a boundary now and then.
double requests_per_piece(std::int64_t stride_bytes, std::int64_t request_bytes);

}  // namespace tilewright::silicon
