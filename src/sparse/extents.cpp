#include "sparse/extents.hpp"

#include <cstdlib>

#include "base/numbers/checked.hpp"

namespace tilewright::sparse {

Tile extents_of(const Einsum& einsum, int tensor) {
    Tile extents;
    for (const Rank& rank : einsum.tensors[tensor].ranks) {
        std::int64_t width = 1;
        for (const Term& term : rank.terms)
            width = checked_add(width,
                                checked_mul(std::abs(term.coefficient), einsum.dimensions[term.dimension].extent - 1));
        extents.push_back(width);
    }
    return extents;
}

}  // namespace tilewright::sparse
