#include "model/exact/places.hpp"

#include <set>
#include <utility>

#include "base/checked.hpp"

namespace tilewright {
namespace {

// How the tile of `number` differs from step to step: for every mask whether it exists, which of its tiles are the last
// ones, and where it lies relative to where it lay first. Empty when it never exists.
std::vector<std::int64_t> behaviour(const Nest& nest, int level, const Tensor& tensor, Blocks& blocks,
                                    std::int64_t number) {
    const LastMask relevant = blocks.relevant(level);
    std::vector<std::int64_t> description;
    std::vector<std::int64_t> reference;
    LastMask mask = relevant;
    for (bool more = true; more; mask = (mask - 1) & relevant) {
        more = mask != 0;  // all subsets of `relevant`, the empty one last
        const Neighbour* neighbour = blocks.find(level, mask, number);
        description.push_back(neighbour == nullptr ? -1 : static_cast<std::int64_t>(neighbour->last & relevant));
        if (neighbour == nullptr) continue;
        const std::vector<std::int64_t> corner = offset_of(nest, level, tensor, *neighbour);
        if (reference.empty()) reference = corner;
        for (std::size_t r = 0; r < corner.size(); ++r) description.push_back(corner[r] - reference[r]);
    }
    return description;
}

// The masks with which one instance is ever entered, and how many instances share them.
using MasksInUse = std::map<std::set<LastMask>, std::int64_t>;

// The masks inside the temporal loops of a memory that is entered with these masks.
std::set<LastMask> inside_loops(const Nest& nest, int level, const std::vector<LastMask>& imperfect,
                                std::set<LastMask> masks) {
    for (int k = nest.levels[level].first; k < nest.levels[level].spatial; ++k) {
        const LastMask bit = LastMask{1} << nest.loops[k].dimension;
        std::set<LastMask> inside;
        for (const LastMask mask : masks) {
            inside.insert(mask & imperfect[k + 1]);
            if (nest.loops[k].remainder > 1) inside.insert(mask & ~bit & imperfect[k + 1]);
        }
        masks = std::move(inside);
    }
    return masks;
}

// The masks with which the neighbour of this number is ever entered.
std::set<LastMask> inside_block(int level, LastMask imperfect, Blocks& blocks, const std::set<LastMask>& masks,
                                std::int64_t number) {
    std::set<LastMask> inside;
    for (const LastMask mask : masks)
        if (const Neighbour* neighbour = blocks.find(level, mask, number))
            inside.insert(blocks.inside(level, mask, *neighbour) & imperfect);
    return inside;
}

// The neighbours below a memory, by the masks with which they are entered. `entered`: the same for the memory.
MasksInUse below(const Nest& nest, int level, const std::vector<LastMask>& imperfect, Blocks& blocks,
                 const MasksInUse& entered) {
    const NestLevel& at = nest.levels[level];
    const bool alike = blocks.relevant(level) == 0;
    MasksInUse next;
    for (const auto& [outside, count] : entered) {
        const std::set<LastMask> masks = inside_loops(nest, level, imperfect, outside);
        for (std::int64_t number = 0; number < (alike ? 1 : at.mapped.size()); ++number) {
            std::set<LastMask> inside = inside_block(level, imperfect[at.end], blocks, masks, number);
            if (inside.empty()) break;  // numbers are dense
            std::int64_t& total = next[std::move(inside)];
            total = checked_add(total, alike ? checked_mul(count, at.mapped.size()) : count);
        }
    }
    return next;
}

}  // namespace

std::vector<LastMask> imperfect_inside(const Nest& nest) {
    std::vector<LastMask> imperfect(nest.loops.size() + 1, 0);
    for (std::size_t k = nest.loops.size(); k-- > 0;) {
        const NestLoop& loop = nest.loops[k];
        imperfect[k] = imperfect[k + 1] | (loop.extent != loop.remainder ? LastMask{1} << loop.dimension : LastMask{0});
    }
    return imperfect;
}

Blocks::Blocks(const Nest& nest) : nest_(nest) {
    const std::vector<LastMask> imperfect = imperfect_inside(nest);
    for (const NestLevel& level : nest.levels) {
        LastMask spread = 0;
        for (int k = level.spatial; k < level.end; ++k) spread |= LastMask{1} << nest.loops[k].dimension;
        relevant_.push_back(spread & imperfect[level.spatial]);
    }
}

const std::vector<Neighbour>& Blocks::at(int level, LastMask last) {
    const LastMask mask = last & relevant_[level];
    auto [at, fresh] = known_.try_emplace({level, mask});
    if (fresh) at->second = neighbours(nest_, level, mask);
    return at->second;
}

const Neighbour* Blocks::find(int level, LastMask last, std::int64_t number) {
    const std::vector<Neighbour>& block = at(level, last);
    return number < static_cast<std::int64_t>(block.size()) ? &block[static_cast<std::size_t>(number)] : nullptr;
}

std::vector<std::int64_t> offset_of(const Nest& nest, int level, const Tensor& tensor, const Neighbour& neighbour) {
    std::vector<std::int64_t> offset(tensor.ranks.size(), 0);
    for (std::size_t i = 0; i < neighbour.index.size(); ++i)
        for (std::size_t r = 0; r < offset.size(); ++r)
            offset[r] +=
                neighbour.index[i] * nest.shift(nest.levels[level].spatial + static_cast<int>(i), tensor.ranks[r]);
    return offset;
}

std::vector<NumberKind> number_kinds(const Nest& nest, int level, const Tensor& tensor, Blocks& blocks) {
    const std::int64_t size = nest.levels[level].mapped.size();
    std::map<std::vector<std::int64_t>, NumberKind> kinds;
    for (std::int64_t number = 0; number < size; ++number) {
        std::vector<std::int64_t> description;
        if (blocks.relevant(level) != 0) description = behaviour(nest, level, tensor, blocks, number);
        kinds[std::move(description)].numbers.push_back(number);
    }
    std::vector<NumberKind> all;
    all.reserve(kinds.size());
    for (auto& [description, kind] : kinds) all.push_back(std::move(kind));
    return all;
}

std::vector<PlaceKind> place_kinds(const Nest& nest, int level, const Tensor& tensor, Blocks& blocks) {
    std::vector<PlaceKind> places{{}};
    for (int outer = 0; outer < level; ++outer) {
        std::vector<PlaceKind> next;
        for (const NumberKind& kind : number_kinds(nest, outer, tensor, blocks)) {
            for (PlaceKind place : places) {
                place.place.push_back(kind.numbers.front());
                place.count = checked_mul(place.count, static_cast<std::int64_t>(kind.numbers.size()));
                next.push_back(std::move(place));
            }
        }
        places = std::move(next);
    }
    return places;
}

std::vector<std::int64_t> instances_in_use(const Nest& nest) {
    const std::vector<LastMask> imperfect = imperfect_inside(nest);
    Blocks blocks(nest);
    std::vector<std::int64_t> in_use{1};
    MasksInUse now{{{imperfect[0]}, 1}};
    for (int level = 0; level < nest.level_count(); ++level) {
        now = below(nest, level, imperfect, blocks, now);
        in_use.push_back(0);
        for (const auto& [masks, count] : now) in_use.back() = checked_add(in_use.back(), count);
    }
    return in_use;
}

}  // namespace tilewright
