// Closed forms of one mapping's counts: groups sharing words, words sent, words ever held.
#include <algorithm>
#include <bit>
#include <numeric>
#include <span>
#include <vector>

#include "model/exact/traffic.hpp"
#include "model/lean/nest.hpp"

namespace tilewright::lean {
namespace {

// Distinct values of i * a + j * b for 0 <= i < m, 0 <= j < n. (i, j) and (i + b, j - a) collide once a and b are
// coprime: counts the points without such a partner before them.
double distinct_sums(double a, double m, double b, double n) {
    const double common = static_cast<double>(std::gcd(static_cast<std::int64_t>(a), static_cast<std::int64_t>(b)));
    return m * n - std::max(0.0, m - b / common) * std::max(0.0, n - a / common);
}

// Distinct moves of the tensor among the neighbours, by listing them.
double distinct_moves(const TensorForm& tensor, const TilingLevel& level, const Nest& nest, int index) {
    std::vector<double> moves{0.0};
    for (std::uint32_t left = nest.spread[index] & tensor.relevant; left != 0; left &= left - 1) {
        const int d = std::countr_zero(left);
        const double step = tensor.key[d] * nest.tile[index + 1][d];
        const std::size_t before = moves.size();
        for (int i = 1; i < level.spatial[d]; ++i)
            for (std::size_t k = 0; k < before; ++k) moves.push_back(moves[k] + i * step);
        std::sort(moves.begin(), moves.end());
        moves.erase(std::unique(moves.begin(), moves.end()), moves.end());
    }
    return static_cast<double>(moves.size());
}

// Groups of a tensor with windows: rank by rank, for at most two spread dimensions per rank.
double window_groups(const TensorForm& tensor, const TilingLevel& level, const Nest& nest, int index) {
    if (tensor.tangled) return distinct_moves(tensor, level, nest, index);
    double groups = 1.0;
    int term = 0;
    for (const int end : tensor.rank_ends) {
        double extents[2] = {1.0, 1.0};
        double steps[2] = {1.0, 1.0};
        int ways = 0;
        for (; term < end; ++term) {
            const int d = tensor.terms[term].dimension;
            if (level.spatial[d] == 1) continue;
            if (ways == 2) return distinct_moves(tensor, level, nest, index);
            extents[ways] = level.spatial[d];
            steps[ways++] = tensor.terms[term].reach * nest.tile[index + 1][d];
        }
        groups *= ways < 2 ? extents[0] : distinct_sums(steps[0], extents[0], steps[1], extents[1]);
    }
    return groups;
}

// Words of the tile kept when it moves along dimension `d` by `stride` iterations.
double overlap_after(const TensorForm& tensor, const std::array<double, kMaxDimensions>& tile, int d, double stride) {
    double overlap = 1.0;
    int term = 0;
    for (const int end : tensor.rank_ends) {
        double width = 1.0;
        for (; term < end; ++term) {
            const Term& t = tensor.terms[term];
            width += t.reach * (tile[t.dimension] - 1.0);
            if (t.dimension == d) width -= t.reach * stride;
        }
        overlap *= std::max(0.0, width);
    }
    return overlap;
}

// Overlapping tiles: the innermost moving loop slides the tile. An outer loop resets it and moves the tile elsewhere
// (all is sent), nowhere (nothing is), or exactly one slide on.
double window_words(const TensorForm& tensor, const Nest& nest, int level, std::uint64_t moving, double tile_words) {
    if (moving == 0) return tile_words;
    const int first = std::countr_zero(moving);
    const NestLoop& slider = nest.loops[first];
    const double slide = tensor.key[slider.dimension] * slider.stride;
    double slides = (slider.extent - 1.0) * nest.around[first + 1];
    double reset = (slider.extent - 1.0) * slide;
    double whole = 1.0;
    for (int j = first + 1; j < nest.loop_count; ++j) {
        const NestLoop& loop = nest.loops[j];
        const double shift = tensor.key[loop.dimension] * loop.stride;
        const double move = shift - reset;
        const double advances = (loop.extent - 1.0) * nest.around[j + 1];
        slides += move == slide ? advances : 0.0;
        whole += move == slide || move == 0.0 ? 0.0 : advances;
        reset += (loop.extent - 1.0) * shift;
    }
    const double kept = overlap_after(tensor, nest.tile[level], slider.dimension, slider.stride);
    return tile_words * whole + (tile_words - kept) * slides;
}

// Length of the union of all intervals, by listing them.
double listed_union(double width, std::span<const Repeat> repeats) {
    std::vector<double> starts{0.0};
    for (const Repeat& repeat : repeats) {
        const std::size_t before = starts.size();
        const auto times = static_cast<std::int64_t>(repeat.times);
        for (std::int64_t i = 1; i < times; ++i)
            for (std::size_t k = 0; k < before; ++k)
                starts.push_back(starts[k] + static_cast<double>(i) * repeat.stride);
    }
    std::sort(starts.begin(), starts.end());
    double length = 0.0;
    for (std::size_t k = 0; k + 1 < starts.size(); ++k) length += std::min(width, starts[k + 1] - starts[k]);
    return length + width;
}

}  // namespace

// Copies join into one longer interval, or stay disjoint; a mixture is listed.
double union_length(double width, std::span<const Repeat> repeats) {
    double piece = width;
    double pieces = 1.0;
    double span = width;
    for (const Repeat& repeat : repeats) {
        if (pieces == 1.0 && repeat.stride <= piece) {
            piece += (repeat.times - 1.0) * repeat.stride;
        } else if (repeat.stride >= span) {
            pieces *= repeat.times;
        } else {
            return listed_union(width, repeats);
        }
        span += (repeat.times - 1.0) * repeat.stride;
    }
    return piece * pieces;
}

namespace {

// Distinct words along one rank (its terms) in the tiles of memory `inner` inside an instance of memory `level`.
double distinct_along(std::span<const Term> terms, const TilingPoint& point, const Nest& nest, int level, int inner) {
    std::array<Repeat, kMaxNestLoops> repeats;
    std::size_t count = 0;
    double width = 1.0;
    for (const Term& term : terms) width += term.reach * (nest.tile[inner][term.dimension] - 1.0);
    for (int j = nest.outside[inner]; j < nest.loop_count; ++j)
        for (const Term& term : terms)
            if (term.dimension == nest.loops[j].dimension)
                repeats[count++] = {term.reach * nest.loops[j].stride, nest.loops[j].extent};
    for (int l = level; l < inner; ++l)
        for (const Term& term : terms)
            if (const auto extent = point[l].spatial[term.dimension]; extent != 1)
                repeats[count++] = {term.reach * nest.tile[l + 1][term.dimension], static_cast<double>(extent)};
    std::sort(repeats.begin(), repeats.begin() + static_cast<std::ptrdiff_t>(count),
              [](const Repeat& a, const Repeat& b) { return a.stride < b.stride; });
    return union_length(width, std::span(repeats).first(count));
}

// Disjoint tiles: words of one times their number.
double plain_words_inside(const TensorForm& form, const Nest& nest, int level, int inner) {
    double words = words_in(form, nest.tile[inner]);
    for (const Term& term : form.terms) words *= nest.tile[level][term.dimension] / nest.tile[inner][term.dimension];
    return words;
}

}  // namespace

double words_in(const TensorForm& tensor, const std::array<double, kMaxDimensions>& extents) {
    double words = 1.0;
    int term = 0;
    for (const int end : tensor.rank_ends) {
        double width = 1.0;
        for (; term < end; ++term) width += tensor.terms[term].reach * (extents[tensor.terms[term].dimension] - 1.0);
        words *= width;
    }
    return words;
}

double sharing_groups(const Setup& setup, const TilingPoint& point, const Nest& nest, int level, int tensor) {
    const TensorForm& form = setup.tensors[tensor];
    std::uint32_t left = nest.spread[level] & form.relevant;
    if (left == 0) return 1.0;
    if (!form.plain && (left & (left - 1)) != 0) return window_groups(form, point[level], nest, level);
    double groups = 1.0;
    for (; left != 0; left &= left - 1) groups *= point[level].spatial[std::countr_zero(left)];
    return groups;
}

double words_to_one_instance(const Setup& setup, const Nest& nest, int level, int tensor, double tile_words) {
    const TensorForm& form = setup.tensors[tensor];
    const std::uint64_t moving = nest.moving[tensor] & (~std::uint64_t{0} << nest.outside[level]);
    if (!form.plain) return window_words(form, nest, level, moving, tile_words);
    // Loops inside the innermost moving one leave the tile at rest.
    const double tiles = moving == 0 ? 1.0 : nest.around[std::countr_zero(moving)];
    return tile_words * tiles;
}

double distinct_words(const Setup& setup, const TilingPoint& point, const Nest& nest, int level, int inner,
                      int tensor) {
    const TensorForm& form = setup.tensors[tensor];
    if (form.tangled) {
        const tilewright::Nest whole = flatten(setup.einsum, setup.architecture, mapping_of(point));
        return static_cast<double>(tilewright::arriving_words(whole, level, inner, tensor)) / nest.used(level);
    }
    if (!form.plain) {
        double words = 1.0;
        int term = 0;
        for (const int end : form.rank_ends) {
            words *= distinct_along(std::span(form.terms).subspan(term, end - term), point, nest, level, inner);
            term = end;
        }
        return words;
    }
    double words = inner == level ? words_in(form, nest.tile[level]) : plain_words_inside(form, nest, level, inner);
    std::uint64_t moving = nest.moving[tensor] & (~std::uint64_t{0} << nest.outside[level]);
    for (; moving != 0; moving &= moving - 1) words *= nest.loops[std::countr_zero(moving)].extent;
    return words;
}

int asking_level(const TilingPoint& point, int level, int tensor) {
    int inner = level + 1;
    while (inner < point.level_count() && !point[inner].keep.has(tensor)) ++inner;
    return inner;
}

double arriving_words(const Setup& setup, const TilingPoint& point, const Nest& nest, int level, int tensor) {
    const int inner = setup.tensors[tensor].gapless ? level : asking_level(point, level, tensor);
    return distinct_words(setup, point, nest, level, inner, tensor);
}

}  // namespace tilewright::lean
