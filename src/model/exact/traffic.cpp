#include "model/exact/traffic.hpp"

#include <algorithm>
#include <numeric>
#include <optional>

#include "base/numbers/checked.hpp"
#include "model/exact/fanout.hpp"

namespace tilewright {
namespace {

using Offset = std::vector<std::int64_t>;  // by rank

std::vector<std::int64_t> widths(const Tensor& tensor, const std::vector<std::int64_t>& tile) {
    std::vector<std::int64_t> widths;
    for (const Rank& rank : tensor.ranks) {
        std::int64_t width = 1;
        for (const Term& term : rank.terms)
            width = checked_add(width, checked_mul(std::abs(term.coefficient), tile[term.dimension] - 1));
        widths.push_back(width);
    }
    return widths;
}

std::int64_t product(const std::vector<std::int64_t>& numbers) {
    std::int64_t result = 1;
    for (const std::int64_t number : numbers) result = checked_mul(result, number);
    return result;
}

Offset shift_of(const Nest& nest, int loop, const Tensor& tensor) {
    Offset shift;
    for (const Rank& rank : tensor.ranks) shift.push_back(nest.shift(loop, rank));
    return shift;
}

// Adds `words_each` words to every group of neighbours with the same words in the block under `last`.
void add_groups(Traffic& traffic, const Nest& nest, int level, const Tensor& tensor, LastMask last,
                std::int64_t words_each) {
    const Fanout block(nest, level, last);
    const std::size_t ranks = tensor.ranks.size();
    MulticastGroups groups(grid_of(nest.levels[level]), ranks, block.size());
    for (FanoutWalk walk(block, nest, level, tensor); walk.exists(); walk.advance())
        groups.add(walk.offset(), walk.number());
    traffic.add(groups.traffic(), words_each);
}

// Words sent to one instance of memory `inner` over the whole run of a perfect nest (docs/model.md, "Deliveries").
//
// Only the innermost moving loop slides the tile, keeping its overlap. An outer loop resets it and moves the tile
// elsewhere (all is sent), nowhere (nothing is), or exactly one slide on.
std::int64_t words_to_one_instance(const Nest& nest, int inner, const Tensor& tensor) {
    const std::vector<std::int64_t> width = widths(tensor, nest.levels[inner].full);
    const std::int64_t tile = product(width);
    std::int64_t enclosing = 1;  // temporal trips of the current loop and those around it
    for (int k = 0; k < nest.levels[inner].first; ++k)
        if (!nest.loops[k].is_spatial()) enclosing = checked_mul(enclosing, nest.loops[k].extent);

    std::int64_t words = tile;
    std::int64_t sliding_words = 0;
    Offset slide;
    Offset reset(width.size(), 0);
    for (int k = nest.levels[inner].first - 1; k >= 0; --k) {
        const NestLoop& loop = nest.loops[k];
        if (loop.is_spatial()) continue;
        enclosing /= loop.extent;
        const std::int64_t advances = checked_mul(enclosing, loop.extent - 1);
        const Offset shift = shift_of(nest, k, tensor);
        Offset move = shift;
        bool moved = false;
        for (std::size_t r = 0; r < move.size(); ++r) {
            move[r] -= reset[r];
            moved = moved || move[r] != 0;
            reset[r] = checked_add(reset[r], checked_mul(loop.extent - 1, shift[r]));
        }
        if (!moved) continue;
        if (slide.empty()) {
            slide = move;
            std::int64_t overlap = 1;
            for (std::size_t r = 0; r < move.size(); ++r)
                overlap *= std::max<std::int64_t>(0, width[r] - std::abs(move[r]));
            sliding_words = tile - overlap;
        }
        words = checked_add(words, checked_mul(advances, move == slide ? sliding_words : tile));
    }
    return words;
}

// Sharing of words in a full block: neighbours per group, and number of groups. Empty if neighbours have to be listed:
// two loops of different dimensions move one rank.
struct Sharing {
    std::int64_t groups = 1;
    std::int64_t members = 1;
};

std::optional<Sharing> sharing_of(const Nest& nest, int level, const Tensor& tensor) {
    Sharing sharing;
    std::vector<int> moved_by(tensor.ranks.size(), -1);
    for (int k = nest.levels[level].spatial; k < nest.levels[level].end; ++k) {
        const NestLoop& loop = nest.loops[k];
        if (!nest.moves(k, tensor)) {
            sharing.members = checked_mul(sharing.members, loop.extent);
            continue;
        }
        sharing.groups = checked_mul(sharing.groups, loop.extent);
        for (std::size_t r = 0; r < tensor.ranks.size(); ++r) {
            if (nest.shift(k, tensor.ranks[r]) == 0) continue;
            if (moved_by[r] >= 0 && moved_by[r] != loop.dimension) return std::nullopt;
            moved_by[r] = loop.dimension;
        }
    }
    return sharing;
}

// Adds the groups of a full block. If every neighbour has its own words, or all share, none is listed.
void add_full_block(Traffic& traffic, const Nest& nest, int level, const Tensor& tensor, std::int64_t words_each) {
    const std::optional<Sharing> sharing = sharing_of(nest, level, tensor);
    if (!sharing || (sharing->members > 1 && sharing->groups > 1))
        return add_groups(traffic, nest, level, tensor, 0, words_each);
    const Mesh grid = grid_of(nest.levels[level]);
    const double hops =
        sharing->members == 1 ? hops_to_each(grid, sharing->groups) : hops_to_all(grid, sharing->members);
    traffic.add(sharing->members, checked_mul(words_each, sharing->groups), hops * static_cast<double>(words_each));
}

Traffic perfect_traffic(const Nest& nest, int level, int tensor) {
    const Tensor& t = nest.einsum->tensors[tensor];
    Traffic one;
    add_full_block(one, nest, level, t, words_to_one_instance(nest, level + 1, t));
    Traffic all;
    all.add(one, nest.levels[level].instances);
    return all;
}

// The compute units request every operand of every operation: only simultaneous requests for the same word are shared.
// Of all moments of the block, exactly one per dimension is the last one, with a remainder of neighbours.
Traffic operand_traffic(const Nest& nest, int level, int tensor) {
    const Einsum& einsum = *nest.einsum;
    std::vector<std::int64_t> block(einsum.dimensions.size(), 1);
    for (int k = nest.levels[level].spatial; k < nest.levels[level].end; ++k)
        block[nest.loops[k].dimension] *= nest.loops[k].extent;
    std::int64_t plain = 1;  // moments of dimensions not spread by the block
    std::vector<int> spread;
    for (int d = 0; d < einsum.dimension_count(); ++d) {
        if (block[d] == 1)
            plain = checked_mul(plain, einsum.dimensions[d].extent);
        else
            spread.push_back(d);
    }
    Traffic traffic;
    for (std::uint32_t choice = 0; choice < (1U << spread.size()); ++choice) {
        LastMask last = 0;
        std::int64_t moments = plain;
        for (std::size_t i = 0; i < spread.size(); ++i) {
            const bool at_last = (choice >> i & 1U) != 0;
            if (at_last) last |= LastMask{1} << spread[i];
            const std::int64_t blocks = ceil_div(einsum.dimensions[spread[i]].extent, block[spread[i]]);
            moments = checked_mul(moments, at_last ? 1 : blocks - 1);
        }
        if (moments > 0 && (last == 0 || nest.perfect))
            add_full_block(traffic, nest, level, einsum.tensors[tensor], moments);
        else if (moments > 0)
            add_groups(traffic, nest, level, einsum.tensors[tensor], last, moments);
    }
    return traffic;
}

// All neighbours below a memory work in every step on spread tiles of one size: their requests are equal and
// simultaneous up to place, and sharing is the same in every step.
bool neighbours_are_alike(const Nest& nest, int level) {
    for (int k = nest.levels[level].spatial; k < nest.levels[level].end; ++k) {
        const NestLoop& loop = nest.loops[k];
        const NestLevel& inside = nest.levels[level + 1];
        if (loop.extent != loop.remainder || inside.full[loop.dimension] != inside.last[loop.dimension]) return false;
    }
    return true;
}

}  // namespace

void Traffic::add(std::int64_t copies, std::int64_t more_words, double hops) {
    if (more_words == 0) return;
    words = checked_add(words, more_words);
    delivered = checked_add(delivered, checked_mul(copies, more_words));
    auto at = std::lower_bound(by_copies.begin(), by_copies.end(), copies,
                               [](const Multicast& m, std::int64_t c) { return m.copies < c; });
    if (at == by_copies.end() || at->copies != copies) at = by_copies.insert(at, Multicast{copies, 0, 0.0});
    at->words = checked_add(at->words, more_words);
    at->hops += hops;
}

void Traffic::add(const Traffic& other, std::int64_t times) {
    for (const Multicast& m : other.by_copies)
        add(m.copies, checked_mul(m.words, times), m.hops * static_cast<double>(times));
}

void Traffic::deliver(std::int64_t copies) {
    const std::int64_t common = std::gcd(copies, delivered);
    const std::int64_t paid = copies / common;
    const std::int64_t carried = delivered / common;
    words = 0;
    for (Multicast& m : by_copies) {
        m.words = checked_mul(m.words / carried, paid);
        m.hops = m.hops * static_cast<double>(paid) / static_cast<double>(carried);
        words = checked_add(words, m.words);
    }
    delivered = copies;
}

Traffic traffic_below(const Nest& nest, int level, int tensor) {
    if (level + 1 == nest.level_count()) return operand_traffic(nest, level, tensor);
    return nest.perfect ? perfect_traffic(nest, level, tensor)
                        : imperfect_traffic(nest, level, level + 1, tensor).front();
}

void pass_on(const Nest& nest, int level, int asking, int tensor, std::vector<Traffic>& below) {
    bool alike = true;
    for (int l = level; l + 1 < asking; ++l) alike = alike && neighbours_are_alike(nest, l);
    if (alike) {
        for (int l = asking - 2; l >= level; --l) below[l].deliver(below[l + 1].words);
        return;
    }
    const std::vector<Traffic> asked = imperfect_traffic(nest, level, asking, tensor);
    for (int l = level; l + 1 < asking; ++l) below[l] = asked[l - level];
}

}  // namespace tilewright
