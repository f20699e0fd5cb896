// One tiled convolution, for a core.
#pragma once

#include <compare>
#include <cstdint>
#include <string>

namespace tilewright::schedule {

/// Word widths of a layer: all given, or 0 for the machine's.
struct WordBits {
    std::int64_t input = 0;
    std::int64_t weight = 0;
    std::int64_t output = 0;
    std::int64_t partial_sum = 0;  ///< of an output with missing input channels

    bool given() const { return input > 0; }
    auto operator<=>(const WordBits&) const = default;
};

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
    WordBits bits = {};

    auto operator<=>(const TileShape&) const = default;
};

/// "4 x 4 outputs, 32 input and 64 output channels, kernel 3 x 3"
std::string to_text(const TileShape& tile);

}  // namespace tilewright::schedule
