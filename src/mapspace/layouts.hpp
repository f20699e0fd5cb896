// Layouts: how the loops of one fan-out lie on its mesh, once it is known how many neighbours share each dimension out.
//
// A dimension may lie along X, along Y, or along both. The neighbours of a block are numbered in the order of its loops
// and packed row by row (docs/model.md), so the axes only decide what there is room for, and the order only matters
// where wires cost energy or a loop leaves a remainder. Two loops of one dimension with none between them are one loop.
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

/// One dimension that a fan-out shares out.
struct SharedDimension {
    int dimension = 0;
    std::int32_t shared = 2;  ///< among so many neighbours
    bool may_x = true;
    bool may_y = true;
    bool may_both = true;
    /// The loops may cover more than there is: the outer one's last step is shorter.
    bool may_be_partial = false;
    /// Of two loops the one along X is inside.
    bool x_inside = false;
};

/// All ways to lay one dimension along the axes of a mesh: X alone, Y alone, then both.
std::vector<AxisExtents> ways_along_axes(const SharedDimension& dimension, const Mesh& mesh);

/// Whether the loops cover the dimension in this order: of two, the outer one has no step without work.
bool covers(std::int32_t shared, const AxisExtents& extents, bool y_is_inside);

/// Axes for all dimensions of a block such that they fit on the mesh, in the order of `dimensions`: along one axis each
/// if that is possible. Nothing when there is no way.
std::optional<std::vector<AxisExtents>> fit_on_mesh(const std::vector<SharedDimension>& dimensions, const Mesh& mesh);

/// One loop of a fan-out for every dimension that it shares out, in order; bit i of the masks is about the i-th.
struct SharedAlongOne {
    std::array<std::int32_t, kMaxDimensions> shared{};
    int count = 0;
    std::uint32_t may_x = 0;
    std::uint32_t may_y = 0;
};

/// What fit_on_mesh() chooses where every dimension can lie along one axis, without the heap: which of them lie along
/// Y. Nothing where they cannot, or where there are too many ways to look at; fit_on_mesh() then knows.
std::optional<std::uint32_t> fit_along_one_axis(const SharedAlongOne& dimensions, const Mesh& mesh);

/// Calls `visit` with every such choice until it returns false. Returns false when stopped.
bool visit_axes(const std::vector<SharedDimension>& dimensions, const Mesh& mesh,
                const std::function<bool(const std::vector<AxisExtents>&)>& visit);

/// What tells the layouts of a block apart, innermost loop first: neighbouring loops of one dimension count as one.
/// Last the dimensions whose loops address more neighbours than share them out; how many only matters where instances
/// share vector accesses (`clustered`).
using LayoutKey = std::vector<std::pair<std::uint8_t, std::int32_t>>;
LayoutKey layout_key(const TilingLevel& level, int dimension_count, bool clustered);

}  // namespace tilewright
