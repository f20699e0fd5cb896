// A tiled convolution or matrix product for a machine with one scratchpad: the loops around the tiles, in order, and
// the tile, ordered inside by the hardware.
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
    std::int64_t padding = 0;  ///< before the image; the rest follows from the outputs
    std::int64_t image = 1;    ///< pixels
    std::int64_t outputs = 1;  ///< computed positions

    bool operator==(const Window&) const = default;
};

struct TiledLayer {
    AxisExtents whole;
    AxisExtents tile;         ///< at most `whole`; the last tile along an axis is cut
    std::vector<Axis> order;  ///< of the loops around the tiles, innermost first; missing axes lie outside
    Window columns;           ///< along p and r
    Window rows;              ///< along q and s
    bool is_product = false;  ///< rows p (or n) times channels c, to channels k
};

/// A window of `kernel` for `outputs` at this stride, with the usual padding kernel / 2.
Window padded_window(std::int64_t outputs, std::int64_t kernel, std::int64_t stride);

/// The tiles of an even mapping: the part inside its outermost memory's temporal loops. Or the reason for none: not a
/// dense convolution or matrix product of one group, with dilation 1.
std::variant<TiledLayer, std::string> tiled_layer(const Einsum& einsum, const Architecture& architecture,
                                                  const Mapping& mapping);

/// The layer as one tile, or the reason for none.
std::variant<TiledLayer, std::string> whole_layer(const Einsum& einsum);

/// The axis of each dimension of a known layer. Empty for dimensions of extent 1 without one.
std::vector<std::optional<Axis>> axes_of(const Einsum& einsum);

char letter_of(Axis axis);

}  // namespace tilewright::silicon
