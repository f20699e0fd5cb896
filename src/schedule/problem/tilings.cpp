#include "schedule/problem/tilings.hpp"

#include <algorithm>
#include <tuple>

#include "base/numbers/checked.hpp"

namespace tilewright::schedule {

std::vector<std::int64_t> tile_sizes(std::int64_t extent, std::int64_t granule) {
    std::vector<std::int64_t> sizes;
    const std::int64_t granules = ceil_div(extent, granule);
    for (std::int64_t tile = 1; tile <= granules; ++tile) {
        // Larger than necessary for its tile count: one granule less cuts as often.
        const std::int64_t count = ceil_div(granules, tile);
        if (tile > 1 && ceil_div(granules, tile - 1) == count) continue;
        sizes.push_back(std::min(extent, tile * granule));
    }
    return sizes;
}

// Larger tile counts are not tried: halos and edges make them worse, and slow to judge.
constexpr std::int64_t kMostTried = std::int64_t{1} << 18;

std::vector<BoundedTiling> tilings(const MultiNpu& machine, const ConvLayer& layer, LatencyRule rule,
                                   const Objective& objective) {
    std::vector<BoundedTiling> result;
    Problem problem{machine, layer, {}};
    for (const std::int64_t w : tile_sizes(layer.out_w, 1))
        for (const std::int64_t h : tile_sizes(layer.out_h, 1))
            for (const std::int64_t c : tile_sizes(layer.in_c, machine.array.in_channels))
                for (const std::int64_t k : tile_sizes(layer.out_c, machine.array.out_channels)) {
                    problem.tiling = {{w, h, c, k}};
                    if (!fits(problem) || operation_count(problem) > kMostTried) continue;
                    const Bounds bounds = bounds_of(problem, rule);
                    result.push_back({problem.tiling, bounds, bound_of(bounds, objective)});
                }
    const auto key = [&](const BoundedTiling& one) {
        return std::tuple(one.bound, operation_count(Problem{machine, layer, one.tiling}), one.tiling.value);
    };
    std::sort(result.begin(), result.end(),
              [&](const BoundedTiling& a, const BoundedTiling& b) { return key(a) < key(b); });
    return result;
}

}  // namespace tilewright::schedule
