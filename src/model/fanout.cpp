#include "model/fanout.hpp"

#include <algorithm>

#include "model/costs.hpp"

namespace tilewright {
namespace {

bool is_last(LastMask mask, int dimension) { return (mask >> dimension & 1U) != 0; }

}  // namespace

std::vector<Neighbour> neighbours(const Nest& nest, int level, LastMask last) {
    std::vector<Neighbour> all{{{}, 0, last}};
    for (int k = nest.levels[level].spatial; k < nest.levels[level].end; ++k) {
        const NestLoop& loop = nest.loops[k];
        std::vector<Neighbour> next;
        for (const Neighbour& outer : all) {
            const bool at_last = is_last(outer.last, loop.dimension);
            const std::int64_t trips = at_last ? loop.remainder : loop.extent;
            for (std::int64_t i = 0; i < trips; ++i) {
                Neighbour inner = outer;
                inner.index.push_back(i);
                if (i + 1 < trips) inner.last &= ~(LastMask{1} << loop.dimension);
                next.push_back(std::move(inner));
            }
        }
        all = std::move(next);
    }
    for (std::size_t number = 0; number < all.size(); ++number) all[number].linear = static_cast<std::int64_t>(number);
    return all;
}

double tree_hops(const NestLevel& level, std::vector<std::int64_t> linear) {
    std::sort(linear.begin(), linear.end());
    const Mesh grid{std::max(level.hardware.x, level.mapped.x), std::max(level.hardware.y, level.mapped.y)};
    std::vector<ColumnSpan> columns(static_cast<std::size_t>(grid.x));
    return group_hops(linear, grid, columns);
}

}  // namespace tilewright
