// Layouts: loops of one fan-out on its mesh, for given numbers of neighbours by dimension.
//
// A dimension may lie along X, along Y, or along both. The neighbours of a block are numbered in the order of its loops
// and packed row by row (docs/model.md), so axes only decide the room, and the order only matters for wire energy or
// remainders. Two adjacent loops of one dimension are one loop.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "arch/architecture.hpp"
#include "mapping/tiling_point.hpp"

namespace tilewright {

/// Extents of a dimension's loops along both axes.
struct AxisExtents {
    std::int32_t x = 1;
    std::int32_t y = 1;

    bool operator==(const AxisExtents&) const = default;
};

struct SharedDimension {
    int dimension = 0;
    std::int32_t shared = 2;  ///< its neighbours
    bool may_x = true;
    bool may_y = true;
    bool may_both = true;
    /// The loops may cover more than the extent: the outer one's last step is shorter.
    bool may_be_partial = false;
    /// Of two loops the one along X is inside.
    bool x_inside = false;
};

/// All ways to lay one dimension along the axes of a mesh: X alone, Y alone, then both.
std::vector<AxisExtents> ways_along_axes(const SharedDimension& dimension, const Mesh& mesh);

/// The loops cover the dimension in this order: of two, the outer one has no step without work.
bool covers(std::int32_t shared, const AxisExtents& extents, bool y_is_inside);

/// Axes for a block's dimensions that fit on the mesh, in their order: one axis each if possible. Nothing if none fit.
std::optional<std::vector<AxisExtents>> fit_on_mesh(const std::vector<SharedDimension>& dimensions, const Mesh& mesh);

/// One loop of a fan-out for every dimension it spreads, in order; bit i of the masks: the i-th.
struct SharedAlongOne {
    std::array<std::int32_t, kMaxDimensions> shared{};
    int count = 0;
    std::uint32_t may_x = 0;
    std::uint32_t may_y = 0;
};

/// As fit_on_mesh() for dimensions along one axis each, without the heap: those along Y. Nothing if impossible, or if
/// there are too many ways; fit_on_mesh() then decides.
std::optional<std::uint32_t> fit_along_one_axis(const SharedAlongOne& dimensions, const Mesh& mesh);

/// Calls `visit` with every such choice until it returns false; then false.
bool visit_axes(const std::vector<SharedDimension>& dimensions, const Mesh& mesh,
                const std::function<bool(const std::vector<AxisExtents>&)>& visit);

/// Identity of a block's layouts, innermost loop first: adjacent loops of one dimension count as one. Last the
/// dimensions whose loops address more neighbours than needed; their number only matters if instances share vector
/// accesses (`clustered`).
using LayoutKey = std::vector<std::pair<std::uint8_t, std::int32_t>>;
LayoutKey layout_key(const TilingLevel& level, int dimension_count, bool clustered);

}  // namespace tilewright
