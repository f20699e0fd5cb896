// A convolution or matrix product cut into tiles, as a machine with one scratchpad runs it: the loops around the tiles,
// in their order, and the tile, whose inside the hardware orders itself.
//
// Pure functions; thread-safe.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "arch/architecture.hpp"
#include "mapping/mapping.hpp"
#include "workload/einsum.hpp"

namespace tilewright::silicon {

/// Input and output channels, images, output columns and rows, kernel columns and rows.
enum class Axis : std::uint8_t { c, k, n, p, q, r, s };
inline constexpr int kAxes = 7;

/// One number for each axis.
class AxisExtents {
   public:
    std::int64_t& operator[](Axis axis) { return values_[static_cast<std::size_t>(axis)]; }
    std::int64_t operator[](Axis axis) const { return values_[static_cast<std::size_t>(axis)]; }
    bool operator==(const AxisExtents&) const = default;

   private:
    std::array<std::int64_t, kAxes> values_{1, 1, 1, 1, 1, 1, 1};
};

/// A window along one axis of the image.
struct Window {
    std::int64_t stride = 1;
    std::int64_t padding = 0;  ///< before the image; what lies behind it follows from the outputs
    std::int64_t image = 1;    ///< pixels
    std::int64_t outputs = 1;  ///< positions that are computed

    bool operator==(const Window&) const = default;
};

struct TiledLayer {
    AxisExtents whole;
    AxisExtents tile;         ///< at most `whole`; the last tile along an axis is cut
    std::vector<Axis> order;  ///< of the loops around the tiles, innermost first; axes that it lacks lie outside
    Window columns;           ///< along p and r
    Window rows;              ///< along q and s
    bool is_product = false;  ///< rows p (or n) times channels c, to channels k
};

/// A window of `kernel` that makes `outputs` at this stride: padded by kernel / 2, as such layers are.
Window padded_window(std::int64_t outputs, std::int64_t kernel, std::int64_t stride);

/// The tiles of an even mapping: what lies inside the temporal loops of its outermost memory. A text says why there are
/// none: not a dense convolution or matrix product of one group, with dilation 1.
std::variant<TiledLayer, std::string> tiled_layer(const Einsum& einsum, const Architecture& architecture,
                                                  const Mapping& mapping);

/// The layer as one tile; a text says why it is none that this room knows.
std::variant<TiledLayer, std::string> whole_layer(const Einsum& einsum);

/// Of each dimension of a layer that this room knows: what it is. Nothing for dimensions of extent 1 that are nothing.
std::vector<std::optional<Axis>> axes_of(const Einsum& einsum);

/// Upper-case letter of the axis, as everybody writes it.
char letter_of(Axis axis);

}  // namespace tilewright::silicon
