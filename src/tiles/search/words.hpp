// Words of a product O[m, n] += A[m, k] * B[k, n] that cross from one level of the rules' `map` to the next.
//
//     map: {m: [tile, herd, M], ...}   three levels: tiles lie in herds, herds in the whole
//
// Each level holds one tile of A, B and O. The loops from a level's tile to the next inner ones run in one of six
// orders; a tile moves inwards when it is another one than before. Sums go out when another tile comes, and come back
// for more, but for their first visit. Tiles at the end of an extent are smaller. The counts are those of the exact
// model (docs/model.md), which property_tile_words holds them to.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "tiles/rules/rules.hpp"

namespace tilewright::tiles {

/// Levels of a `map` whose words are an objective.
inline constexpr std::size_t kMostMapLevels = 5;

/// Extents of the tiles along m, n and k, by level: the whole first. Each at most that of the level before.
using TileChain = std::vector<std::array<std::int64_t, 3>>;

/// The tiles of a point; larger ones than their surroundings are cut. Throws InputError: a tile below 1.
TileChain chain_of(const Rules& rules, const std::int64_t* slots);

/// Words across each boundary, the outermost first: fewest across the first, of these fewest across the second, and so
/// on. Throws InputError(overflow): 2^53 or more.
std::vector<double> fewest_words(const TileChain& chain);

/// "", or why the rules' map is not that of such a product.
std::string problem_with_map(const Rules& rules);

}  // namespace tilewright::tiles
