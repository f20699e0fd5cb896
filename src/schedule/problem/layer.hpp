// ConvLayer: the scheduled convolution, and its conversion from einsums.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "schedule/problem/tile_shape.hpp"
#include "workload/einsum.hpp"

namespace tilewright::schedule {

/// Tensors kept in the scratchpad during a layer (docs/schedule.md, "Outputs that stay"). The layer's own tiles lie at
/// addresses [below_bytes, scratchpad - above_bytes).
struct Kept {
    bool input = false;            ///< the whole input is there: no loads, no blocks
    bool output = false;           ///< final outputs stay there: no stores
    std::int64_t below_bytes = 0;  ///< of tensors from address 0 on: the layer's own and those needed later
    std::int64_t above_bytes = 0;  ///< same, up to the end of the scratchpad

    bool operator==(const Kept&) const = default;
};

/// One image, one group: the tile of all of it. A fully connected layer is a 1x1 convolution of a 1x1 image.
struct ConvLayer : TileShape {
    Kept kept = {};

    bool operator==(const ConvLayer&) const = default;
};

/// Maximum of a layer's numbers: tiles are counted in 64 bits.
inline constexpr std::int64_t kLargestExtent = std::int64_t{1} << 24;

/// Reason why a layer is malformed, or "".
std::string problem_with(const ConvLayer& layer);

/// A layer run `repeats` times in sequence: once per image and group.
struct RepeatedLayer {
    ConvLayer layer;
    std::int64_t repeats = 1;
};

/// Reads an einsum of workload/shapes.hpp (or one of the same dimensions and tensors). Rows of a matrix product become
/// image columns. Throws InputError(unsupported), with `name`, otherwise: three dimensions, transposed convolutions,
/// other tensors.
RepeatedLayer conv_layer(const Einsum& einsum, const std::string& name);

enum class Dim { out_w, out_h, in_c, out_c };
inline constexpr int kDims = 4;
inline constexpr std::array<const char*, kDims> kDimNames{"ow", "oh", "ic", "oc"};

/// A count per dimension: extents, tile sizes, tile counts.
struct PerDim {
    std::array<std::int64_t, kDims> value{1, 1, 1, 1};

    std::int64_t& operator[](Dim dim) { return value[static_cast<std::size_t>(dim)]; }
    std::int64_t operator[](Dim dim) const { return value[static_cast<std::size_t>(dim)]; }
    bool operator==(const PerDim&) const = default;
};

PerDim extents(const ConvLayer& layer);

/// A core's view of a tile of these sizes; outputs with missing channels are partial sums.
TileShape tile_shape(const ConvLayer& layer, std::int64_t out_w, std::int64_t out_h, std::int64_t in_c,
                     std::int64_t out_c);

}  // namespace tilewright::schedule
