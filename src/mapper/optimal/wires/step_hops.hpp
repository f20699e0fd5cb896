// Wire lengths of one step of a block: neighbours with work are adjacent (docs/model.md, rule 7), so group_hops()
// mostly has a closed form. Exact: halves of integers.
#pragma once

#include <cstdint>
#include <span>

#include "arch/architecture.hpp"

namespace tilewright::optimal {

/// One loop of a block in a step with `trips` iterations. Indices `first` to `end` - 1 receive words.
struct StepLoop {
    std::int64_t trips = 1;
    std::int64_t first = 0;
    std::int64_t end = 1;
    bool tells_apart = false;  ///< neighbours differing in its index get different words
};

/// One word to each of the first `count` neighbours.
double hops_one_each(const Mesh& grid, std::int64_t count);
/// One word to the first `count` >= 1 neighbours together.
double hops_together(const Mesh& grid, std::int64_t count);
/// One word to the nearest of the first `count` >= 1 neighbours.
double hops_to_nearest(const Mesh& grid, std::int64_t count);

/// One word to every group of neighbours sharing it, summed over groups. `loops`: innermost first, as neighbours are
/// numbered; each has receiving indices.
double step_hops(const Mesh& grid, std::span<const StepLoop> loops);

}  // namespace tilewright::optimal
