#include "mapper/priced/prices.hpp"

#include <algorithm>

namespace tilewright::priced {
namespace {

// Ways to keep one tensor, by memory.
std::vector<std::vector<bool>> ways_of_one(const Mapspace& mapspace, int tensor) {
    std::vector<std::vector<bool>> ways(1);
    for (int l = 0; l < mapspace.level_count(); ++l) {
        const bool always = mapspace.kept_tensors(l).has(tensor);
        const bool maybe = mapspace.free_tensors(l).has(tensor);
        std::vector<std::vector<bool>> longer;
        for (const std::vector<bool>& way : ways)
            for (const bool keeps : {true, false}) {
                if (keeps ? !always && !maybe : always) continue;
                longer.push_back(way);
                longer.back().push_back(keeps);
            }
        ways = std::move(longer);
    }
    std::erase_if(ways, [](const std::vector<bool>& way) { return std::ranges::count(way, true) == 0; });
    return ways;
}

bool moves(const Tensor& tensor, int dimension) {
    return std::ranges::any_of(tensor.ranks, [&](const Rank& rank) {
        return std::ranges::any_of(rank.terms, [&](const Term& term) { return term.dimension == dimension; });
    });
}

}  // namespace

std::optional<std::vector<Kept>> ways_to_keep(const Mapspace& mapspace, int tensors, std::size_t most) {
    std::vector<Kept> all(1);
    for (int t = 0; t < tensors; ++t) {
        const std::vector<std::vector<bool>> ways = ways_of_one(mapspace, t);
        if (ways.size() * all.size() > most) return std::nullopt;
        std::vector<Kept> longer;
        for (const Kept& kept : all)
            for (const std::vector<bool>& way : ways) {
                longer.push_back(kept);
                longer.back().push_back(way);
            }
        all = std::move(longer);
    }
    return all;
}

Constraints that_keep(const LayerProblem& problem, const Kept& kept) {
    Constraints constraints = problem.constraints;
    constraints.levels.resize(problem.architecture.memories.size());
    for (std::size_t m = 0; m < constraints.levels.size(); ++m) {
        TensorSet keep;
        TensorSet bypass;
        for (std::size_t t = 0; t < kept.size(); ++t) (kept[t][m] ? keep : bypass).add(static_cast<int>(t));
        constraints.levels[m].must_keep = keep;
        constraints.levels[m].must_bypass = bypass;
    }
    return constraints;
}

bool set_to_one(LoopConstraint& loops, int dimensions, int dimension) {
    loops.factors.resize(static_cast<std::size_t>(dimensions));
    FactorConstraint& factor = loops.factors[dimension];
    if (factor.exactly.value_or(1) != 1 || factor.at_least > 1) return false;
    factor.exactly = 1;
    return true;
}

std::optional<Constraints> with_single_word(const Einsum& einsum, Constraints constraints, int tensor, int memory) {
    for (std::size_t m = static_cast<std::size_t>(memory); m < constraints.levels.size(); ++m)
        for (int d = 0; d < einsum.dimension_count(); ++d) {
            const bool is_one = einsum.dimensions[d].extent == 1;
            if (is_one || !moves(einsum.tensors[tensor], d)) continue;
            LevelConstraint& level = constraints.levels[m];
            if (!set_to_one(level.temporal, einsum.dimension_count(), d)) return std::nullopt;
            if (!set_to_one(level.spatial, einsum.dimension_count(), d)) return std::nullopt;
        }
    return constraints;
}

}  // namespace tilewright::priced
