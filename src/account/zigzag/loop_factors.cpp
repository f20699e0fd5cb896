#include "account/zigzag/loop_factors.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/checked.hpp"
#include "base/factors.hpp"

namespace tilewright::zigzag {
namespace {

std::int64_t rounds(std::int64_t size, double units) {
    const double quotient = std::ceil(static_cast<double>(size) / units);
    if (!(quotient < static_cast<double>(std::numeric_limits<std::int64_t>::max()))) throw OverflowError();
    return static_cast<std::int64_t>(quotient);
}

using FactorsOfOne = std::vector<TemporalLoop>;  // of one dimension, ascending

std::vector<FactorsOfOne> by_dimension(const std::vector<TemporalLoop>& factors) {
    std::vector<FactorsOfOne> groups;
    for (const TemporalLoop& factor : factors) {
        if (groups.empty() || groups.back().front().dimension != factor.dimension) groups.emplace_back();
        groups.back().push_back(factor);
    }
    return groups;
}

void merge_two_smallest(FactorsOfOne& factors) {
    factors[1].size *= factors[0].size;
    factors.erase(factors.begin());
    std::sort(factors.begin(), factors.end(),
              [](const TemporalLoop& a, const TemporalLoop& b) { return a.size < b.size; });
}

}  // namespace

std::vector<TemporalLoop> temporal_loops(const Layer& layer, const SpatialMapping& spatial) {
    std::vector<std::int64_t> sizes;
    for (const Dimension& dimension : layer.dimensions) sizes.push_back(dimension.extent);
    constexpr std::int64_t kGone = 0;  // nothing is left; further unrollings of it do not count
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
    std::vector<FactorsOfOne> groups = by_dimension(factors);
    const auto most = static_cast<std::size_t>(std::max(limit, static_cast<int>(groups.size())));
    for (std::size_t count = factors.size(); count > most; --count)
        merge_two_smallest(*std::max_element(groups.begin(), groups.end(),
                                             [](const auto& a, const auto& b) { return a.size() < b.size(); }));
    std::vector<TemporalLoop> result;
    for (const FactorsOfOne& group : groups) result.insert(result.end(), group.begin(), group.end());
    return result;
}

}  // namespace tilewright::zigzag
