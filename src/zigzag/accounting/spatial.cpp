#include "zigzag/accounting/spatial.hpp"

#include <algorithm>
#include <cmath>

#include "zigzag/accounting/rounding.hpp"

namespace tilewright::zigzag {
namespace {

using ArrayLoops = std::vector<std::vector<ParallelLoop>>;

/// The array dimension with the largest unrolling of `dimension`, the first of equals.
std::size_t widest(const ArrayUnrolling& unrolling, int dimension) {
    std::size_t best = 0;
    std::int64_t most = -1;
    for (std::size_t a = 0; a < unrolling.size(); ++a) {
        for (const Unrolling& one : unrolling[a]) {
            if (one.dimension != dimension || one.factor <= most) continue;
            most = one.factor;
            best = a;
        }
    }
    return best;
}

double product_of(const ArrayLoops& loops, int dimension) {
    double product = 1.0;
    for (const std::vector<ParallelLoop>& row : loops)
        for (const ParallelLoop& loop : row)
            if (loop.dimension == dimension) product *= loop.size;
    return product;
}

// Rounding of two divisions; shares are far larger.
constexpr double kRoundingError = 1e-9;

/// Fills the rounds for `factor` units evenly.
double even_share(double extent, double factor, double earlier, UnrollRounding rounding) {
    const double rounds = std::ceil(extent / (factor * earlier));
    const double share = extent / rounds / earlier;
    if (rounding == UnrollRounding::whole) return std::trunc(share);
    return rounding == UnrollRounding::covering ? std::ceil(share - kRoundingError) : share;
}

ArrayLoops limited(const Layer& layer, const ArrayUnrolling& unrolling, UnrollRounding rounding) {
    ArrayLoops loops;
    for (std::size_t a = 0; a < unrolling.size(); ++a) {
        std::vector<ParallelLoop> row;
        for (const Unrolling& one : unrolling[a]) {
            auto size = static_cast<double>(one.factor);
            if (widest(unrolling, one.dimension) == a)
                size = even_share(static_cast<double>(layer.dimensions[one.dimension].extent), size,
                                  product_of(loops, one.dimension), rounding);
            row.push_back({one.dimension, size});
        }
        loops.push_back(row);
    }
    return loops;
}

void multiply_in(std::vector<ParallelLoop>& loops, const std::vector<ParallelLoop>& more) {
    for (const ParallelLoop& loop : more) {
        const auto same = std::find_if(loops.begin(), loops.end(),
                                       [&](const ParallelLoop& other) { return other.dimension == loop.dimension; });
        if (same == loops.end())
            loops.push_back(loop);
        else
            same->size *= loop.size;
    }
}

/// Loops of one operand by memory level: each array dimension belongs to its lowest serving memory.
std::vector<std::vector<ParallelLoop>> by_level(const Accelerator& accelerator, const Operand& operand,
                                                ArrayLoops left) {
    std::vector<std::vector<ParallelLoop>> levels;
    for (const int m : accelerator.levels_of(operand.memory)) {
        std::vector<ParallelLoop>& level = levels.emplace_back();
        for (const int a : accelerator.memories[m].served) {
            multiply_in(level, left[a]);
            left[a].clear();
        }
    }
    std::vector<ParallelLoop>& above = levels.emplace_back();
    for (const std::vector<ParallelLoop>& row : left) multiply_in(above, row);
    return levels;
}

}  // namespace

SpatialMapping spatial_mapping(const Accelerator& accelerator, const Layer& layer, const ArrayUnrolling& unrolling,
                               UnrollRounding rounding) {
    ArrayLoops loops = limited(layer, unrolling, rounding);
    loops.resize(accelerator.array.size());
    SpatialMapping mapping;
    for (const Operand& operand : layer.operands) mapping.loops.push_back(by_level(accelerator, operand, loops));
    return mapping;
}

UnitCounts unit_counts(const Layer& layer, const Operand& operand,
                       const std::vector<std::vector<ParallelLoop>>& levels) {
    const std::vector<Split> splits = split_windows(layer, operand, levels);
    UnitCounts counts;
    for (std::size_t from = 0; from < splits.size(); ++from) {
        double all = 1.0;
        double distinct = 1.0;
        double copies = 1.0;
        for (std::size_t level = from; level < splits.size(); ++level) {
            all *= splits[level].relevant * splits[level].irrelevant;
            distinct *= splits[level].relevant;
            copies *= splits[level].irrelevant;
        }
        counts.units.push_back(round_to_even(round_to_thousandths(all)));
        counts.distinct.push_back(distinct);
        counts.copies.push_back(copies);
    }
    for (std::size_t level = 0; level + 1 < splits.size(); ++level)
        counts.boost.push_back(round_to_even(counts.distinct[level] / counts.distinct[level + 1]));
    counts.boost.push_back(1);
    return counts;
}

}  // namespace tilewright::zigzag
