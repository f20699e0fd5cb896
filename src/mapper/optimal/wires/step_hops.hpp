// How far words travel in one step of a block: the neighbours that have work sit side by side (docs/model.md, rule 7),
// so what group_hops() counts place by place mostly has a closed form. Exact: halves of integers.
#pragma once

#include <cstdint>
#include <span>

#include "arch/architecture.hpp"

namespace tilewright::optimal {

/// One loop of a block in a step in which it runs `trips` times. Indices from `first` to `end` - 1 are sent words.
struct StepLoop {
    std::int64_t trips = 1;
    std::int64_t first = 0;
    std::int64_t end = 1;
    bool tells_apart = false;  ///< neighbours that differ in its index get different words
};

/// Of one word to each of the first `count` neighbours.
double hops_one_each(const Mesh& grid, std::int64_t count);
/// Of one word to all of the first `count` neighbours. Requires one.
double hops_together(const Mesh& grid, std::int64_t count);
/// Of one word to the nearest of the first `count` neighbours. Requires one.
double hops_to_nearest(const Mesh& grid, std::int64_t count);

/// Of one word to every group of neighbours that share it, all groups together. `loops`: innermost first, of which the
/// neighbours are numbered; each has indices that are sent words.
double step_hops(const Mesh& grid, std::span<const StepLoop> loops);

}  // namespace tilewright::optimal
