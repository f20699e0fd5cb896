#include "zigzag/accounting/loop_factors.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/numbers/checked.hpp"
#include "base/numbers/factors.hpp"

namespace tilewright::zigzag {
namespace {

std::int64_t rounds(std::int64_t size, double units) {
    const double quotient = std::ceil(static_cast<double>(size) / units);
    if (!(quotient < static_cast<double>(std::numeric_limits<std::int64_t>::max()))) throw OverflowError();
    return static_cast<std::int64_t>(quotient);
}

}  // namespace

std::vector<TemporalLoop> temporal_loops(const Layer& layer, const SpatialMapping& spatial) {
    std::vector<std::int64_t> sizes;
    for (const Dimension& dimension : layer.dimensions) sizes.push_back(dimension.extent);
    constexpr std::int64_t kGone = 0;  // exhausted; further unrollings of it do not count
    for (const std::vector<ParallelLoop>& level : spatial.loops[1])
        for (const ParallelLoop& loop : level) {
            std::int64_t& size = sizes[loop.dimension];
            if (size == kGone) continue;
            size = rounds(size, loop.size);
            if (size == 1) size = kGone;
        }
    std::vector<TemporalLoop> loops;
    for (int d = 0; d < layer.dimension_count(); ++d)
        if (sizes[d] > 1) loops.push_back({d, sizes[d]});
    return loops;
}

std::vector<TemporalLoop> loop_factors(const Layer& layer, const SpatialMapping& spatial) {
    std::vector<TemporalLoop> factors;
    for (const TemporalLoop& loop : temporal_loops(layer, spatial))
        for (const PrimePower& power : prime_factors(loop.size))
            factors.insert(factors.end(), static_cast<std::size_t>(power.power), {loop.dimension, power.prime});
    if (factors.empty()) factors.push_back({0, 1});
    return factors;
}

std::vector<TemporalLoop> limited(const std::vector<TemporalLoop>& factors, int limit) {
    std::vector<int> dimensions;
    std::vector<std::vector<std::int64_t>> groups;
    for (const TemporalLoop& factor : factors) {
        if (dimensions.empty() || dimensions.back() != factor.dimension) {
            dimensions.push_back(factor.dimension);
            groups.emplace_back();
        }
        groups.back().push_back(factor.size);
    }
    limit_factors(groups, limit);
    std::vector<TemporalLoop> result;
    for (std::size_t g = 0; g < groups.size(); ++g)
        for (const std::int64_t size : groups[g]) result.push_back({dimensions[g], size});
    return result;
}

}  // namespace tilewright::zigzag
