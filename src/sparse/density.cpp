#include "sparse/density.hpp"

#include <cstdlib>

#include "base/numbers/checked.hpp"

namespace tilewright::sparse {
namespace {

std::string share_problem(double share) {
    return share >= 0.0 && share <= 1.0 ? "" : "a density is a share from 0 to 1, found " + std::to_string(share);
}

std::string tile_text(const Tile& tile) {
    std::string text;
    for (const std::int64_t extent : tile) text += (text.empty() ? "" : " x ") + std::to_string(extent);
    return text.empty() ? "no rank" : text;
}

struct Problem {
    const Tile& tensor;

    std::string operator()(const FixedStructured& density) const { return share_problem(density.density); }
    std::string operator()(const UniformRandom& density) const { return share_problem(density.density); }

    std::string operator()(const Banded& density) const {
        if (density.half_width < 0) return "a band width cannot be negative";
        if (tensor.size() == 2 && tensor[0] == tensor[1]) return "";
        return "a band needs a square matrix; the tensor has " + tile_text(tensor);
    }

    std::string operator()(const Pattern& density) const {
        const std::string pattern = std::to_string(density.kept) + ":" + std::to_string(density.of);
        if (density.kept < 0 || density.of < 1 || density.kept > density.of)
            return pattern + " is no pattern: N:M keeps N of M elements, 0 <= N <= M";
        const bool has_rank = density.rank >= 0 && density.rank < static_cast<int>(tensor.size());
        if (!has_rank) return "the tensor has no rank " + std::to_string(density.rank);
        const std::int64_t extent = tensor[density.rank];
        if (extent % density.of == 0) return "";
        return "the groups of " + pattern + " do not divide a rank of " + std::to_string(extent) + " elements";
    }

    std::string operator()(const Measured& density) const {
        if (density.extents == tensor) return "";
        return "'" + density.file + "' holds " + tile_text(density.extents) + " elements; the tensor has " +
               tile_text(tensor);
    }
};

}  // namespace

std::int64_t elements(const Tile& tile) {
    std::int64_t count = 1;
    for (const std::int64_t extent : tile) count = checked_mul(count, extent);
    return count;
}

std::string problem_with(const Density& density, const Tile& tensor) { return std::visit(Problem{tensor}, density); }

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
