// One tiled convolution, as a core sees it.
#pragma once

#include <compare>
#include <cstdint>
#include <string>

namespace tilewright::schedule {

struct TileShape {
    std::int64_t out_w = 1;
    std::int64_t out_h = 1;
    std::int64_t in_c = 1;
    std::int64_t out_c = 1;
    std::int64_t kernel_w = 1;
    std::int64_t kernel_h = 1;
    std::int64_t stride_w = 1;
    std::int64_t stride_h = 1;
    std::int64_t dilation_w = 1;
    std::int64_t dilation_h = 1;

    auto operator<=>(const TileShape&) const = default;
};

/// "4 x 4 outputs, 32 input and 64 output channels, kernel 3 x 3"
std::string to_text(const TileShape& tile);

}  // namespace tilewright::schedule
