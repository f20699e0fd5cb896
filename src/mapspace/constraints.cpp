#include "mapspace/constraints.hpp"

#include <algorithm>

#include "base/numbers/checked.hpp"
#include "mapspace/factors/factor_rule.hpp"
#include "mapspace/mapspace.hpp"

namespace tilewright {

bool allow_remainders_beyond(FactorRule rule, const Constraints& constraints) {
    const auto beyond = [rule](const LoopConstraint& loops, bool spatial) {
        return loops.remainders.value_or(1) > 1 && !allows_remainders(rule, spatial);
    };
    return std::any_of(constraints.levels.begin(), constraints.levels.end(), [&](const LevelConstraint& level) {
        return beyond(level.temporal, false) || beyond(level.spatial, true);
    });
}

namespace {

// A dimension's paddings along several axes.
using Multiples = std::vector<std::int64_t>;

void add_choices(const Einsum& einsum, const Mapspace& space, int level, bool along_y, std::int64_t axis,
                 std::vector<Multiples>& all) {
    const std::size_t without = all.size();
    for (int d = 0; d < einsum.dimension_count(); ++d) {
        if (!space.may_spread(level, d, along_y) || einsum.dimensions[d].extent <= axis) continue;
        for (std::size_t i = 0; i < without; ++i) {
            Multiples more = all[i];
            more[d] = checked_mul(more[d], axis);
            all.push_back(std::move(more));
        }
    }
}

Einsum padded(Einsum einsum, const Multiples& multiples) {
    for (int d = 0; d < einsum.dimension_count(); ++d) {
        std::int64_t& extent = einsum.dimensions[d].extent;
        // Beyond the axes' whole room: padding to their product would only waste.
        if (multiples[d] < extent) extent = padded_extent(extent, multiples[d]);
    }
    return einsum;
}

}  // namespace

std::vector<Einsum> paddings(const Einsum& einsum, const Architecture& architecture, const Constraints& constraints) {
    const Mapspace space(einsum, architecture, constraints);
    std::vector<Multiples> all{Multiples(einsum.dimensions.size(), 1)};
    for (int l = 0; l < architecture.memory_count(); ++l) {
        const Mesh fanout = architecture.fanout(l);
        if (fanout.x > 1) add_choices(einsum, space, l, false, fanout.x, all);
        if (fanout.y > 1) add_choices(einsum, space, l, true, fanout.y, all);
    }
    std::vector<Einsum> einsums;
    for (const Multiples& multiples : all) {
        Einsum candidate = padded(einsum, multiples);
        if (std::ranges::find(einsums, candidate) == einsums.end()) einsums.push_back(std::move(candidate));
    }
    std::ranges::stable_sort(einsums, {}, [](const Einsum& candidate) { return operation_count(candidate); });
    constexpr std::size_t kMost = 32;
    if (einsums.size() > kMost) einsums.resize(kMost);
    return einsums;
}

}  // namespace tilewright
