#include "model/exact/places.hpp"

#include <algorithm>
#include <limits>
#include <set>
#include <span>
#include <utility>

#include "base/numbers/checked.hpp"

namespace tilewright {
namespace {

// The block below a memory under several masks, iterated in parallel run by run: the first neighbour of a run
// represents all, up to a shift equal under every mask.
class SideBySide {
   public:
    SideBySide(const Nest& nest, int level, const Tensor& tensor, Fanouts& blocks, std::span<const LastMask> masks) {
        for (const LastMask mask : masks) walks_.emplace_back(blocks.at(level, mask), nest, level, tensor);
    }

    const std::vector<FanoutWalk>& walks() const { return walks_; }  ///< by mask
    bool any() const { return std::ranges::any_of(walks_, &FanoutWalk::exists); }

    std::int64_t run() const {
        std::int64_t shortest = std::numeric_limits<std::int64_t>::max();
        for (const FanoutWalk& walk : walks_)
            if (walk.exists()) shortest = std::min(shortest, walk.alike());
        return shortest;
    }
    void advance(std::int64_t count) {
        for (FanoutWalk& walk : walks_)
            if (walk.exists()) walk.advance(count);
    }

   private:
    std::vector<FanoutWalk> walks_;
};

// Variation of a neighbour's tile between steps: by mask its presence, last tiles, and shift from the first place.
std::vector<std::int64_t> behaviour(const std::vector<FanoutWalk>& walks, LastMask relevant, std::size_t ranks) {
    std::vector<std::int64_t> description;
    const TileOffset* reference = nullptr;
    for (const FanoutWalk& walk : walks) {
        description.push_back(walk.exists() ? static_cast<std::int64_t>(walk.last() & relevant) : -1);
        if (!walk.exists()) continue;
        if (reference == nullptr) reference = &walk.offset();
        for (std::size_t r = 0; r < ranks; ++r) description.push_back(walk.offset()[r] - (*reference)[r]);
    }
    return description;
}

std::vector<LastMask> subsets_of(LastMask all) {
    std::vector<LastMask> subsets{all};
    while (subsets.back() != 0) subsets.push_back((subsets.back() - 1) & all);
    return subsets;
}

// The masks on entry of one instance, and the number of instances with the same.
using MasksInUse = std::map<std::set<LastMask>, std::int64_t>;

// The masks inside the temporal loops of a memory entered with these masks.
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

// The neighbours below a memory, by the masks on entry. `entered`: the same for the memory.
MasksInUse below(const Nest& nest, int level, const std::vector<LastMask>& imperfect, Fanouts& blocks,
                 const MasksInUse& entered) {
    const NestLevel& at = nest.levels[level];
    const bool alike = blocks.relevant(level) == 0;
    const Tensor no_ranks;  // only masks matter
    MasksInUse next;
    for (const auto& [outside, count] : entered) {
        const std::set<LastMask> masks = inside_loops(nest, level, imperfect, outside);
        const std::vector<LastMask> list(masks.begin(), masks.end());
        SideBySide block(nest, level, no_ranks, blocks, list);
        while (block.any()) {
            throw_if_stopped(nest.stop);
            std::set<LastMask> inside;
            for (std::size_t i = 0; i < list.size(); ++i)
                if (const FanoutWalk& walk = block.walks()[i]; walk.exists())
                    inside.insert(blocks.inside(level, list[i], walk.last()) & imperfect[at.end]);
            const std::int64_t run = block.run();
            std::int64_t& total = next[std::move(inside)];
            total = checked_add(total, checked_mul(count, alike ? at.mapped.size() : run));
            if (alike) break;
            block.advance(run);
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

Fanouts::Fanouts(const Nest& nest) : nest_(nest) {
    const std::vector<LastMask> imperfect = imperfect_inside(nest);
    for (const NestLevel& level : nest.levels) {
        LastMask spread = 0;
        for (int k = level.spatial; k < level.end; ++k) spread |= LastMask{1} << nest.loops[k].dimension;
        relevant_.push_back(spread & imperfect[level.spatial]);
    }
}

Fanouts::Entry& Fanouts::entry(int level, LastMask last) {
    const LastMask mask = last & relevant_[level];
    const auto known = known_.find({level, mask});
    if (known != known_.end()) return known->second;
    return known_.emplace(std::pair(level, mask), Entry{Fanout(nest_, level, mask), {}}).first->second;
}

const Neighbour* Fanouts::find(int level, LastMask last, std::int64_t number) {
    Entry& at = entry(level, last);
    if (number >= at.block.size()) return nullptr;
    auto [neighbour, fresh] = at.found.try_emplace(number);
    if (fresh) neighbour->second = at.block.at(number);
    return &neighbour->second;
}

std::int64_t NumberKind::count() const {
    std::int64_t all = 0;
    for (const Run& run : runs) all += run.count;
    return all;
}

std::vector<NumberKind> number_kinds(const Nest& nest, int level, const Tensor& tensor, Fanouts& blocks) {
    const LastMask relevant = blocks.relevant(level);
    if (relevant == 0) return {{{{0, nest.levels[level].mapped.size()}}}};
    std::map<std::vector<std::int64_t>, NumberKind> kinds;
    const std::vector<LastMask> masks = subsets_of(relevant);
    SideBySide block(nest, level, tensor, blocks, masks);
    for (std::int64_t number = 0; block.any();) {
        throw_if_stopped(nest.stop);
        NumberKind& kind = kinds[behaviour(block.walks(), relevant, tensor.ranks.size())];
        const std::int64_t run = block.run();
        if (!kind.runs.empty() && kind.runs.back().first + kind.runs.back().count == number)
            kind.runs.back().count += run;
        else
            kind.runs.push_back({number, run});
        block.advance(run);
        number += run;
    }
    std::vector<NumberKind> all;
    all.reserve(kinds.size());
    for (auto& [description, kind] : kinds) all.push_back(std::move(kind));
    return all;
}

std::vector<PlaceKind> place_kinds(const Nest& nest, int level, const Tensor& tensor, Fanouts& blocks) {
    std::vector<PlaceKind> places{{}};
    for (int outer = 0; outer < level; ++outer) {
        std::vector<PlaceKind> next;
        for (const NumberKind& kind : number_kinds(nest, outer, tensor, blocks)) {
            for (PlaceKind place : places) {
                place.place.push_back(kind.first());
                place.count = checked_mul(place.count, kind.count());
                next.push_back(std::move(place));
            }
        }
        places = std::move(next);
    }
    return places;
}

std::vector<std::int64_t> instances_in_use(const Nest& nest) {
    const std::vector<LastMask> imperfect = imperfect_inside(nest);
    Fanouts blocks(nest);
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
