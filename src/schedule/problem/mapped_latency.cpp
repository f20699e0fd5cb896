#include "schedule/problem/mapped_latency.hpp"

#include "base/error.hpp"

namespace tilewright::schedule {

std::int64_t ListedCycles::cycles(const TileShape& tile) const {
    const auto found = list_.find(tile);
    if (found == list_.end())
        throw InputError(ErrorCode::bad_value, {}, "the file lists no cycles for a tile of " + to_text(tile));
    return found->second;
}

std::string to_text(const TileShape& tile) {
    const auto pair = [](std::int64_t a, std::int64_t b) { return std::to_string(a) + " x " + std::to_string(b); };
    std::string text = pair(tile.out_w, tile.out_h) + " outputs, " + std::to_string(tile.in_c) + " input and " +
                       std::to_string(tile.out_c) + " output channels, kernel " + pair(tile.kernel_w, tile.kernel_h);
    if (tile.stride_w > 1 || tile.stride_h > 1) text += ", stride " + pair(tile.stride_w, tile.stride_h);
    if (tile.dilation_w > 1 || tile.dilation_h > 1) text += ", dilation " + pair(tile.dilation_w, tile.dilation_h);
    return text;
}

}  // namespace tilewright::schedule
