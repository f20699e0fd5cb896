#include "model/sparse/tree.hpp"

#include <algorithm>

#include "base/numbers/checked.hpp"

namespace tilewright::sparse {
namespace {

/// Loops that are one level, and how many places it has.
struct Level {
    int dimension = 0;  ///< of its outermost loop
    LoopSet loops = 0;
    std::int64_t places = 1;
};

// The rank of a tensor that a loop moves.
int axis_of(const Nest& nest, const Tensor& tensor, int loop) {
    for (std::size_t r = 0; r < tensor.ranks.size(); ++r)
        if (nest.shift(loop, tensor.ranks[r]) != 0) return static_cast<int>(r);
    return -1;
}

std::vector<Level> levels_of(const Nest& nest, int tensor, int first) {
    const Tensor& one = nest.einsum->tensors[tensor];
    const LoopSet inside = loops_from(nest, first) & loops_moving(nest, tensor);
    std::vector<Level> levels;
    LoopSet taken = 0;
    for (const int loop : loops_in(inside)) {
        if ((taken & loop_bit(loop)) != 0) continue;
        const int axis = axis_of(nest, one, loop);
        const bool window = is_window(*nest.einsum, one.ranks[static_cast<std::size_t>(axis)]);
        Level level{nest.loops[loop].dimension, loop_bit(loop), 1};
        if (window)
            for (const int other : loops_in(inside))
                if (axis_of(nest, one, other) == axis) level.loops |= loop_bit(other);
        level.places = touched(nest, tensor, level.loops);
        taken |= level.loops;
        levels.push_back(level);
    }
    return levels;
}

bool joins(const std::vector<std::vector<int>>& lists, int dimension, int next) {
    return std::any_of(lists.begin(), lists.end(), [&](const std::vector<int>& list) {
        const auto has = [&](int one) { return std::find(list.begin(), list.end(), one) != list.end(); };
        return has(dimension) && has(next);
    });
}

// Levels by rank, in the order of `ranks`: each takes one and what its lists join to it, the last one the rest.
std::vector<std::vector<Level>> dealt(const std::vector<const FormatRank*>& ranks, const std::vector<Level>& levels) {
    std::vector<std::vector<Level>> by_rank(ranks.size());
    std::size_t next = 0;
    for (std::size_t r = 0; r < ranks.size() && next < levels.size(); ++r) {
        by_rank[r].push_back(levels[next++]);
        const bool last = r + 1 == ranks.size();
        while (next < levels.size() &&
               (last || joins(ranks[r]->flattened, by_rank[r].front().dimension, levels[next].dimension)))
            by_rank[r].push_back(levels[next++]);
    }
    return by_rank;
}

// The same, innermost rank and level first.
std::vector<std::vector<Level>> by_rank(const TensorFormat& format, std::vector<Level> levels) {
    std::vector<const FormatRank*> ranks;
    for (const FormatRank& rank : format.ranks) ranks.push_back(&rank);
    if (format.inner_to_outer) {
        std::reverse(levels.begin(), levels.end());
        return dealt(ranks, levels);
    }
    std::reverse(ranks.begin(), ranks.end());
    std::vector<std::vector<Level>> dealt_out = dealt(ranks, levels);
    // The innermost ranks hold the data: of few levels they are the ones that take them.
    const auto used = std::find_if(dealt_out.begin(), dealt_out.end(), [](const auto& one) { return one.empty(); });
    std::rotate(dealt_out.begin(), used, dealt_out.end());
    std::reverse(dealt_out.begin(), dealt_out.end());
    return dealt_out;
}

/// What one rank takes, given how many of its fibres and of its places are not empty.
RankWords words_of(RankFormat format, const Fibres& fibres, double occupied_fibres, double occupied_places,
                   double all_places) {
    const auto places = static_cast<double>(fibres.places);
    switch (format) {
        case RankFormat::uop: return {0.0, fibres.has_data ? 0.0 : occupied_fibres * (places + 1.0)};
        case RankFormat::cp:
        case RankFormat::rle: return {occupied_places, fibres.has_data ? 0.0 : occupied_places};
        case RankFormat::b: return {occupied_fibres * places, fibres.has_data ? 0.0 : occupied_places};
        case RankFormat::ub: return {all_places, fibres.has_data ? 0.0 : all_places};
    }
    return {};
}

}  // namespace

std::vector<Fibres> tree_of(const Nest& nest, int tensor, const TensorFormat& format, int first) {
    std::vector<Fibres> tree;
    LoopSet below = 0;
    std::int64_t inside = 1;
    for (const std::vector<Level>& levels : by_rank(format, levels_of(nest, tensor, first))) {
        Fibres fibres;
        fibres.below = below;
        for (const Level& level : levels) {
            fibres.places = checked_mul(fibres.places, level.places);
            below |= level.loops;
        }
        fibres.whole = below;
        fibres.has_data = inside == 1 && fibres.places > 1;
        inside = checked_mul(inside, fibres.places);
        tree.push_back(fibres);
    }
    std::int64_t count = 1;
    for (auto rank = tree.rbegin(); rank != tree.rend(); ++rank) {
        rank->count = count;
        count = checked_mul(count, rank->places);
    }
    return tree;
}

std::vector<RankWords> expected_words(const TensorFormat& format, const std::vector<Fibres>& tree, int tensor,
                                      const Needs& needs, Chances& chances, Pinned pinned) {
    const auto share = [&](LoopSet set) {
        Needs all = needs;
        all.add(tensor, set);
        return all.share(chances, pinned);
    };
    std::vector<RankWords> words;
    for (std::size_t r = 0; r < tree.size(); ++r) {
        const Fibres& fibres = tree[r];
        const auto places = static_cast<double>(fibres.count) * static_cast<double>(fibres.places);
        words.push_back(fibres.places == 1
                            ? RankWords{}
                            : words_of(format.ranks[r].format, fibres,
                                       static_cast<double>(fibres.count) * share(fibres.whole),
                                       places * share(fibres.below), places * needs.share(chances, pinned)));
    }
    return words;
}

std::vector<RankWords> most_words(const TensorFormat& format, const std::vector<Fibres>& tree, std::int64_t occupied) {
    std::vector<RankWords> words;
    for (std::size_t r = 0; r < tree.size(); ++r) {
        const Fibres& fibres = tree[r];
        const std::int64_t places = checked_mul(fibres.count, fibres.places);
        words.push_back(fibres.places == 1
                            ? RankWords{}
                            : words_of(format.ranks[r].format, fibres,
                                       static_cast<double>(std::min(fibres.count, occupied)),
                                       static_cast<double>(std::min(places, occupied)), static_cast<double>(places)));
    }
    return words;
}

double bits_of(const TensorFormat& format, const std::vector<RankWords>& words) {
    double bits = 0.0;
    for (std::size_t r = 0; r < words.size(); ++r)
        bits += words[r].metadata * static_cast<double>(format.ranks[r].metadata_bits) +
                words[r].payload * static_cast<double>(format.ranks[r].payload_bits);
    return bits;
}

}  // namespace tilewright::sparse
