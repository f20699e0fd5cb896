#include "model/exact/fanout.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

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

Mesh grid_of(const NestLevel& level) {
    return {std::max(level.hardware.x, level.mapped.x), std::max(level.hardware.y, level.mapped.y)};
}

double tree_hops(const Mesh& grid, std::vector<std::int64_t> linear) {
    const double centre = static_cast<double>(grid.y - 1) / 2.0;
    // By columns, from the top of each: the width of the mesh does not matter, only who is reached.
    std::sort(linear.begin(), linear.end(), [&](std::int64_t a, std::int64_t b) {
        return std::pair(a % grid.x, a / grid.x) < std::pair(b % grid.x, b / grid.x);
    });
    double hops = static_cast<double>(linear.back() % grid.x);
    for (std::size_t first = 0; first < linear.size();) {
        std::size_t last = first;
        while (last + 1 < linear.size() && linear[last + 1] % grid.x == linear[first] % grid.x) ++last;
        const double above = centre - static_cast<double>(linear[first] / grid.x);
        const double below = static_cast<double>(linear[last] / grid.x) - centre;
        hops += std::max(0.0, above) + std::max(0.0, below);
        first = last + 1;
    }
    return hops;
}

double hops_to_each(const Mesh& grid, std::int64_t count) {
    const double centre = static_cast<double>(grid.y - 1) / 2.0;
    const auto along = [](std::int64_t n) { return static_cast<double>(n) * static_cast<double>(n - 1) / 2.0; };
    const std::int64_t rows = count / grid.x;  // full ones
    const std::int64_t rest = count % grid.x;
    const double across = static_cast<double>(rows) * along(grid.x) + along(rest);
    // Sum of |y - centre| over the full rows: those above the centre count down, those below it count up.
    const std::int64_t above = std::min(rows, grid.y / 2);
    const std::int64_t below = std::max<std::int64_t>(0, rows - (grid.y + 1) / 2);
    const double first_below = static_cast<double>((grid.y + 1) / 2) - centre;
    const double down =
        static_cast<double>(above) * centre - along(above) + static_cast<double>(below) * first_below + along(below);
    return across + static_cast<double>(grid.x) * down +
           static_cast<double>(rest) * std::abs(static_cast<double>(rows) - centre);
}

double hops_to_all(const Mesh& grid, std::int64_t count) {
    const double centre = static_cast<double>(grid.y - 1) / 2.0;
    const std::int64_t columns = std::min(count, grid.x);
    const std::int64_t rows = count / grid.x;
    const std::int64_t longer = rows == 0 ? 0 : count % grid.x;  // columns that reach one row further
    const auto column = [&](std::int64_t high) {
        return std::max(0.0, centre) + std::max(0.0, static_cast<double>(high) - centre);
    };
    const std::int64_t high = std::max<std::int64_t>(rows - 1, 0);
    return static_cast<double>(columns - 1) + static_cast<double>(longer) * column(high + 1) +
           static_cast<double>(columns - longer) * column(high);
}

}  // namespace tilewright
