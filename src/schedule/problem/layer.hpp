// ConvLayer: the convolution that is scheduled, and how einsums become one.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "schedule/problem/tile_shape.hpp"
#include "workload/einsum.hpp"

namespace tilewright::schedule {

/// Tensors that stay in the scratchpad while a layer runs (docs/schedule.md, "Outputs that stay"). The layer's own
/// tiles lie at addresses [below_bytes, scratchpad - above_bytes).
struct Kept {
    bool input = false;            ///< the whole input lies there: it is never loaded, and its tiles take no block
    bool output = false;           ///< finished outputs stay there: they are not stored
    std::int64_t below_bytes = 0;  ///< of tensors from address 0 on: the layer's own and those that others need later
    std::int64_t above_bytes = 0;  ///< same, up to the end of the scratchpad

    bool operator==(const Kept&) const = default;
};

/// One image, one group: the tile that is all of it. A fully connected layer is a 1x1 convolution of a 1x1 image.
struct ConvLayer : TileShape {
    Kept kept = {};

    bool operator==(const ConvLayer&) const = default;
};

/// Of every number of a layer: tiles are then counted in 64 bits.
inline constexpr std::int64_t kLargestExtent = std::int64_t{1} << 24;

/// What makes a layer malformed, in words, or "".
std::string problem_with(const ConvLayer& layer);

/// A layer that runs `repeats` times, one after the other: once per image and group.
struct RepeatedLayer {
    ConvLayer layer;
    std::int64_t repeats = 1;
};

/// Reads an einsum that workload/shapes.hpp makes (or one of the same dimensions and tensors). The rows of a matrix
/// product become columns of an image. Throws InputError(unsupported), with `name`, for anything else: three
/// dimensions, transposed convolutions, other tensors.
RepeatedLayer conv_layer(const Einsum& einsum, const std::string& name);

/// The four dimensions that are tiled.
enum class Dim { out_w, out_h, in_c, out_c };
inline constexpr int kDims = 4;
inline constexpr std::array<const char*, kDims> kDimNames{"ow", "oh", "ic", "oc"};

/// A count for every dimension: extents, tile sizes, numbers of tiles.
struct PerDim {
    std::array<std::int64_t, kDims> value{1, 1, 1, 1};

    std::int64_t& operator[](Dim dim) { return value[static_cast<std::size_t>(dim)]; }
    std::int64_t operator[](Dim dim) const { return value[static_cast<std::size_t>(dim)]; }
    bool operator==(const PerDim&) const = default;
};

PerDim extents(const ConvLayer& layer);

/// What a core sees of a tile of these sizes; outputs to which channels have still to be added are partial sums.
TileShape tile_shape(const ConvLayer& layer, std::int64_t out_w, std::int64_t out_h, std::int64_t in_c,
                     std::int64_t out_c);

}  // namespace tilewright::schedule
