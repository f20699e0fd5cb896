#include "mapper/optimal/bounds/sharing.hpp"

#include <algorithm>

#include "base/numbers/factors.hpp"
#include "mapper/optimal/geometry/sweep.hpp"

namespace tilewright::optimal {
namespace {

struct Pair {
    int first = -1;
    int second = -1;
    bool more = false;  ///< more than two dimensions
};

Pair pair_of(const Charges& charges, int level, std::span<const lean::Term> rank) {
    Pair pair;
    for (const lean::Term& term : rank) {
        if (charges.assignment()[level].spatial[term.dimension] == 1) continue;
        pair.more = pair.second >= 0;
        (pair.first < 0 ? pair.first : pair.second) = term.dimension;
        if (pair.more) break;
    }
    return pair;
}

// Minimum over all tiles relative to `tile`: loops along other ranks do not matter.
double least_of(const Charges& charges, int tensor, int level, const Pair& pair, Extents tile, double groups) {
    const bool loops_inside = level + 1 < charges.level_count();
    const auto factors = [&](int d) {
        return loops_inside ? divisors(static_cast<std::int64_t>(charges.rest()[d])) : std::vector<std::int64_t>{1};
    };
    double least = groups;
    const double first = tile[pair.first];
    const double second = tile[pair.second];
    for (const std::int64_t a : factors(pair.first))
        for (const std::int64_t b : factors(pair.second)) {
            tile[pair.first] = first * static_cast<double>(a);
            tile[pair.second] = second * static_cast<double>(b);
            least = std::min(least, charges.groups(tensor, level, tile));
        }
    return least / groups;
}

}  // namespace

LeastGroups least_groups(const Charges& charges, int tensor) {
    LeastGroups least;
    least.fill(1.0);
    const lean::TensorForm& form = charges.setup().tensors[tensor];
    if (form.plain || form.tangled) return least;
    for (int l = 0; l < charges.level_count(); ++l) {
        if (!charges.is_dynamic(tensor, l)) continue;
        const Extents& tile = charges.inner(l + 1);
        const double groups = charges.groups(tensor, l, tile);
        double product = groups;
        for (std::size_t rank = 0; rank < form.rank_ends.size(); ++rank) {
            const Pair pair = pair_of(charges, l, rank_terms(form, rank));
            if (pair.more) product = 0.0;  // coincidences of three are unknown
            if (pair.second >= 0 && !pair.more) product *= least_of(charges, tensor, l, pair, tile, groups);
        }
        least[l] = std::max(1.0, product * kRoundedDown);
    }
    return least;
}

double groups_across(const Charges& charges, int tensor, int level, const LeastGroups& groups) {
    double product = 1.0;
    for (int l = charges.delivery(tensor, level).parent; l < level; ++l) product *= groups[l];
    return product;
}

}  // namespace tilewright::optimal
