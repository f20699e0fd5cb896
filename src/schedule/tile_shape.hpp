// One tiled convolution, as a core sees it.
#pragma once

#include <cstdint>

namespace tilewright::schedule {

struct TileShape {
    std::int64_t out_w = 1;
    std::int64_t out_h = 1;
    std::int64_t in_c = 1;
    std::int64_t out_c = 1;
    std::int64_t kernel_w = 1;
    std::int64_t kernel_h = 1;

    bool operator==(const TileShape&) const = default;
};

}  // namespace tilewright::schedule
