#include "mapping/tile.hpp"

#include <algorithm>

#include "base/numbers/checked.hpp"

namespace tilewright {

Extents whole_extents(const Einsum& einsum) {
    Extents extents;
    extents.fill(1);
    for (int d = 0; d < einsum.dimension_count(); ++d) extents[d] = einsum.dimensions[d].extent;
    return extents;
}

std::vector<Extents> extents_inside(const Einsum& einsum, const Mapping& mapping) {
    const Extents whole = whole_extents(einsum);
    std::vector<Extents> inside(mapping.nodes.size() + 1);
    inside.back().fill(1);
    for (std::size_t i = mapping.nodes.size(); i-- > 0;) {
        inside[i] = inside[i + 1];
        if (i + 1 == mapping.nodes.size()) continue;
        if (const Loop* loop = std::get_if<Loop>(&mapping.nodes[i + 1])) {
            const int d = loop->dimension;
            inside[i][d] = std::min(whole[d], saturating_mul(inside[i][d], loop->extent));
        }
    }
    return inside;
}

std::vector<Extents> store_extents(const Einsum& einsum, const Mapping& mapping) {
    const std::vector<Extents> inside = extents_inside(einsum, mapping);
    std::vector<Extents> stores;
    for (std::size_t i = 0; i < mapping.nodes.size(); ++i)
        if (std::holds_alternative<Store>(mapping.nodes[i])) stores.push_back(inside[i]);
    return stores;
}

std::int64_t box_words(const Tensor& tensor, const Extents& extents) {
    std::int64_t words = 1;
    for (const Rank& rank : tensor.ranks) {
        std::int64_t width = 1;
        for (const Term& term : rank.terms) {
            const std::int64_t reach = checked_mul(term.coefficient, extents[term.dimension] - 1);
            width = checked_add(width, reach < 0 ? checked_mul(reach, -1) : reach);
        }
        words = checked_mul(words, width);
    }
    return words;
}

}  // namespace tilewright
