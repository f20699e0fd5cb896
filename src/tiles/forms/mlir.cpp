#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "base/error.hpp"
#include "tiles/forms/forms.hpp"

namespace tilewright::tiles {
namespace {

/// Tiles of m, n and k at one level.
using LevelTiles = std::array<std::int64_t, 3>;

const MappedDimension& dimension(const Rules& rules, const std::string& name) {
    const auto found = std::ranges::find(rules.map, name, &MappedDimension::name);
    if (found == rules.map.end() || rules.map.size() != 3)
        throw InputError(ErrorCode::unsupported, {},
                         fmt::format("the form mlir is of matrix products: a map of m, n and k, which the rules of {} "
                                     "do not have",
                                     rules.kernel));
    return *found;
}

/// From the outside in, without the extents.
std::vector<LevelTiles> levels_of(const Rules& rules, const std::vector<std::int64_t>& slots) {
    const std::array<const MappedDimension*, 3> dimensions{&dimension(rules, "m"), &dimension(rules, "n"),
                                                           &dimension(rules, "k")};
    std::vector<LevelTiles> levels;
    for (std::size_t level = dimensions[0]->tiles.size() - 1; level-- > 0;) {
        LevelTiles tiles{};
        for (std::size_t i = 0; i < tiles.size(); ++i) tiles[i] = dimensions[i]->tiles[level](slots.data());
        levels.push_back(tiles);
    }
    return levels;
}

std::string script16(const std::vector<LevelTiles>& levels) {
    std::string text =
        "transform.sequence failures(propagate) {\n^bb0(%root: !pdl.operation):\n"
        "  %op = transform.structured.match ops{[\"linalg.matmul\"]} in %root\n";
    std::string op = "%op";
    for (std::size_t i = 0; i < levels.size(); ++i) {
        const auto& [m, n, k] = levels[i];
        if (i == 0) {
            text += fmt::format(
                "  %grid, %t0 = transform.structured.tile_to_foreach_thread_op {} tile_sizes [{}, {}]\n", op, m, n);
        } else {
            text += fmt::format(
                "  %t{0}, %rows{0}, %columns{0} = transform.structured.tile {1} [{2}, {3}, 0] : (!pdl.operation) -> "
                "(!pdl.operation, !pdl.operation, !pdl.operation)\n",
                i, op, m, n);
        }
        text += fmt::format(
            "  %k{0}, %depth{0} = transform.structured.tile %t{0} [0, 0, {1}] : (!pdl.operation) -> "
            "(!pdl.operation, !pdl.operation)\n",
            i, k);
        op = fmt::format("%k{}", i);
    }
    return text + "}\n";
}

std::string script20(const std::vector<LevelTiles>& levels) {
    std::string text =
        "module attributes {transform.with_named_sequence} {\n"
        "  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {\n"
        "    %op = transform.structured.match ops{[\"linalg.matmul\"]} in %root : (!transform.any_op) -> "
        "!transform.any_op\n";
    std::string op = "%op";
    for (std::size_t i = 0; i < levels.size(); ++i) {
        const auto& [m, n, k] = levels[i];
        if (i == 0) {
            text += fmt::format(
                "    %t0, %grid = transform.structured.tile_using_forall {} tile_sizes [{}, {}] : (!transform.any_op) "
                "-> "
                "(!transform.any_op, !transform.any_op)\n",
                op, m, n);
        } else {
            text += fmt::format(
                "    %t{0}, %rows{0}, %columns{0} = transform.structured.tile_using_for {1} tile_sizes [{2}, {3}, 0] : "
                "(!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op)\n",
                i, op, m, n);
        }
        text += fmt::format(
            "    %k{0}, %depth{0} = transform.structured.tile_using_for %t{0} tile_sizes [0, 0, {1}] : "
            "(!transform.any_op) -> "
            "(!transform.any_op, !transform.any_op)\n",
            i, k);
        op = fmt::format("%k{}", i);
    }
    return text + "    transform.yield\n  }\n}\n";
}

}  // namespace

std::vector<std::string> unmapped_names(const Rules& rules) {
    std::vector<const IntegerProgram*> tiles;
    for (const MappedDimension& mapped : rules.map)
        for (const IntegerProgram& tile : mapped.tiles) tiles.push_back(&tile);
    return names_left_unsaid(rules, tiles);
}

std::string mlir_text(const Problem& problem, const std::vector<std::int64_t>& slots, bool newer) {
    const std::vector<LevelTiles> levels = levels_of(problem.rules, slots);
    return newer ? script20(levels) : script16(levels);
}

}  // namespace tilewright::tiles
