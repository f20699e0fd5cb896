// The mapspace with remainders: each dimension's factors are a chain (mapspace/factors/chains.hpp).
//
// Chains run from the innermost slot outwards, as a slot's chunks depend on the slots inside: the fan-out below a
// memory, then the memory's temporal loops.
#include <algorithm>
#include <map>
#include <set>

#include "mapspace/mapspace.hpp"

namespace tilewright {
namespace {

std::int32_t& loop_factor(TilingPoint& point, const Slot& slot, int dimension) {
    TilingLevel& level = point[slot.level];
    return slot.spatial ? level.spatial[dimension] : level.temporal[dimension];
}

/// Any extent with a completion, equally likely (`evenly`) or in proportion to its completions. 0: none.
std::int64_t draw_extent(Random& random, const ChainSpace& space, int place, const ChainSlot& slot, std::int64_t chunks,
                         bool evenly) {
    const auto weight = [&](const ExtentRun& run) {
        const Count ways = space.ways(place + 1, run.chunks);
        return evenly && ways > 0 ? Count{1} : ways;
    };
    Count total = 0;
    visit_runs(slot, chunks, [&](const ExtentRun& run) {
        total += weight(run) * static_cast<Count>(run.size());
        return true;
    });
    if (total == 0) return 0;
    Count left = draw_below(random, total);
    std::int64_t extent = 0;
    visit_runs(slot, chunks, [&](const ExtentRun& run) {
        const Count each = weight(run);
        const Count here = each * static_cast<Count>(run.size());
        if (left >= here) {
            left -= here;
            return true;
        }
        extent = run.first + static_cast<std::int64_t>(left / each);
        return false;
    });
    return extent;
}

}  // namespace

ChainSlot Mapspace::make_chain_slot(const LoopConstraint& constraint, const Slot& slot, int dimension,
                                    const FactorBounds& bounds) const {
    ChainSlot chain_slot{bounds.at_least, bounds.at_most, allows_remainders(rule_, slot.spatial) ? INT64_MAX : 1};
    if (constraint.remainders) chain_slot.imperfect_up_to = *constraint.remainders;
    if (slot.spatial) {
        const SpatialRule& rule = spatial_[slot.level];
        const std::int64_t x = (rule.may_x >> dimension & 1U) != 0 ? rule.room.x : 1;
        const std::int64_t y = (rule.may_y >> dimension & 1U) != 0 ? rule.room.y : 1;
        chain_slot.at_most = std::min(chain_slot.at_most, rule.may_both ? x * y : std::max(x, y));
    }
    return chain_slot;
}

void Mapspace::set_chains(const Einsum& einsum, const Constraints& constraints) {
    for (int l = level_count_ - 1; l >= 0; --l)
        for (const bool spatial : {true, false})
            if (const auto slot = std::ranges::find(slots_, Slot{l, spatial}); slot != slots_.end())
                chain_slots_.push_back(static_cast<int>(slot - slots_.begin()));
    const LevelConstraint unconstrained;
    std::vector<std::vector<ChainSlot>> slots(static_cast<std::size_t>(dimension_count_));
    bool remainders = false;
    for (const int s : chain_slots_) {
        const Slot& slot = slots_[s];
        const LevelConstraint& level = constraints.levels.empty() ? unconstrained : constraints.levels[slot.level];
        for (int d = 0; d < dimension_count_; ++d) {
            slots[d].push_back(
                make_chain_slot(slot.spatial ? level.spatial : level.temporal, slot, d, dimensions_[d].bounds(s)));
            remainders |= slots[d].back().imperfect_up_to > 1;
        }
    }
    if (!remainders) return;
    for (int d = 0; d < dimension_count_; ++d) {
        chains_.emplace_back(einsum.dimensions[d].extent, std::move(slots[d]));
        if (chains_[d].count() == 0) problem_ = no_way(einsum.dimensions[d]);
    }
}

Mapspace Mapspace::of_assignment(const TilingPoint& assignment) const {
    Mapspace narrow = *this;
    for (int l = 0; l < level_count_; ++l) {
        narrow.keep_[l] = assignment[l].keep;
        narrow.free_[l] = {};
    }
    for (int d = 0; d < dimension_count_; ++d) {
        std::vector<ChainSlot> slots;
        for (std::size_t place = 0; place < chain_slots_.size(); ++place) {
            ChainSlot& chain_slot = slots.emplace_back(chains_[d].slot(static_cast<int>(place)));
            const Slot& slot = slots_[chain_slots_[place]];
            if (slot.spatial) chain_slot.at_least = chain_slot.at_most = assignment[slot.level].spatial[d];
        }
        narrow.chains_[d] = ChainSpace(chains_[d].extent(), std::move(slots));
        if (narrow.chains_[d].count() == 0) narrow.problem_ = "no temporal factors go with these spatial ones";
    }
    return narrow;
}

Chain Mapspace::chain_of(const TilingPoint& point, int dimension) const {
    Chain chain;
    chain.reserve(chain_slots_.size());
    for (const int s : chain_slots_) {
        const TilingLevel& level = point[slots_[s].level];
        chain.push_back(slots_[s].spatial ? level.spatial[dimension] : level.temporal[dimension]);
    }
    return chain;
}

void Mapspace::write_chain(TilingPoint& point, int dimension, const Chain& chain) const {
    for (std::size_t place = 0; place < chain.size(); ++place)
        loop_factor(point, slots_[chain_slots_[place]], dimension) = static_cast<std::int32_t>(chain[place]);
}

// Room left for a dimension along the one axis, or the other.
std::int64_t Mapspace::most_along_axis(Random& random, const TilingPoint& point, int level, int dimension) const {
    const Mesh room = room_left(point, level);
    if (!may_run(level, dimension, true)) return room.x;
    if (!may_run(level, dimension, false)) return room.y;
    return room.x == 1 || room.y == 1 || random.chance(0.5) ? std::max(room.x, room.y) : std::min(room.x, room.y);
}

// Along both axes at times; not all products have room there. 0: none can be finished.
std::int64_t Mapspace::draw_neighbours(Random& random, TilingPoint& point, int dimension, int place,
                                       std::int64_t chunks) const {
    const ChainSpace& space = chains_[dimension];
    const int level = slots_[chain_slots_[place]].level;
    std::int32_t& shared = point[level].spatial[dimension];
    const Mesh room = room_left(point, level);
    ChainSlot allowed = space.slot(place);
    const std::int64_t most = allowed.at_most;
    if (spatial_[level].may_both && room.x > 1 && room.y > 1 && random.chance(0.5)) {
        allowed.at_most = std::min(most, room.size());
        shared = static_cast<std::int32_t>(draw_extent(random, space, place, allowed, chunks, true));
        if (shared == 0 || choose_axes(point, level, Cover::as_it_is)) return shared;
        shared = 1;
        choose_axes(point, level, Cover::as_it_is);
    }
    allowed.at_most = std::min(most, most_along_axis(random, point, level, dimension));
    shared = static_cast<std::int32_t>(draw_extent(random, space, place, allowed, chunks, true));
    return shared == 0 || !choose_axes(point, level, Cover::as_it_is) ? 0 : shared;
}

// Spatial extents with room are equally likely, temporal ones in proportion to their completions.
bool Mapspace::sample_chain(Random& random, TilingPoint& point, int dimension) const {
    const ChainSpace& space = chains_[dimension];
    std::int64_t chunks = space.extent();
    for (int place = 0; place < space.slot_count(); ++place) {
        const Slot& slot = slots_[chain_slots_[place]];
        const std::int64_t extent = slot.spatial ? draw_neighbours(random, point, dimension, place, chunks)
                                                 : draw_extent(random, space, place, space.slot(place), chunks, false);
        if (extent == 0) return false;
        loop_factor(point, slot, dimension) = static_cast<std::int32_t>(extent);
        chunks = ceil_div(chunks, extent);
    }
    return chunks == 1;
}

bool Mapspace::sample_chains(Random& random, TilingPoint& point) const {
    for (int l = 0; l < level_count_; ++l) {
        point[l].spatial.fill(1);
        choose_axes(point, l, Cover::as_it_is);
    }
    std::array<int, kMaxDimensions> order;
    for (int d = 0; d < dimension_count_; ++d) {  // shuffled while it is written
        const auto place = static_cast<int>(random.below(static_cast<std::uint64_t>(d) + 1));
        order[d] = order[place];
        order[place] = d;
    }
    for (int k = 0; k < dimension_count_; ++k)
        if (!sample_chain(random, point, order[k])) return false;
    for (int l = 0; l < level_count_; ++l) order_spatial(point, l);
    return true;
}

bool Mapspace::redraw_factors(Random& random, TilingPoint& point, int dimension) const {
    if (chains_.empty()) return false;
    Chain chain = chain_of(point, dimension);
    return chains_[dimension].step(random, chain) && put_chain(point, dimension, chain);
}

bool Mapspace::empty_slot(TilingPoint& point, int dimension, int slot) const {
    if (chains_.empty()) return false;
    Chain chain = chain_of(point, dimension);
    const auto place = std::ranges::find(chain_slots_, slot) - chain_slots_.begin();
    chain[place] = chains_[dimension].slot(static_cast<int>(place)).at_least;
    std::int64_t chunks = chains_[dimension].extent();
    for (std::size_t i = 0; i + 1 < chain.size(); ++i) chunks = ceil_div(chunks, chain[i]);
    chain.back() = chunks;
    return chains_[dimension].contains(chain) && put_chain(point, dimension, chain);
}

bool Mapspace::put_chain(TilingPoint& point, int dimension, const Chain& chain) const {
    const TilingPoint before = point;
    write_chain(point, dimension, chain);
    for (int l = 0; l < level_count_; ++l)
        if (!lay_out(point, l)) {
            point = before;
            return false;
        }
    return true;
}

// Of the dimension's spatial loop below memory `level`.
bool Mapspace::leaves_remainder(const TilingPoint& point, int level, int dimension) const {
    if (point[level].spatial[dimension] == 1) return false;
    std::int64_t left = chains_[dimension].extent() - 1;
    for (int l = level_count_ - 1; l > level; --l)
        left = left / point[l].spatial[dimension] / point[l].temporal[dimension];
    return left % point[level].spatial[dimension] + 1 != point[level].spatial[dimension];
}

bool Mapspace::enumerate_chains(TilingPoint& point, int d, const std::function<bool(const TilingPoint&)>& visit) const {
    if (d == dimension_count_) {
        if (!parallel_enough(point)) return true;
        return visit_layouts(point, Cover::as_it_is, [&] { return enumerate_keeps(point, 0, visit); });
    }
    return chains_[d].enumerate([&](const Chain& chain) {
        write_chain(point, d, chain);
        const bool go_on = !fits_so_far(point, Cover::as_it_is) || enumerate_chains(point, d + 1, visit);
        write_chain(point, d, Chain(chain.size(), 1));
        return go_on;
    });
}

// The dealt factors have room on the meshes.
bool Mapspace::fits_so_far(TilingPoint& point, Cover cover) const {
    for (int l = 0; l < level_count_; ++l)
        if (!choose_axes(point, l, cover)) return false;
    return true;
}

bool Mapspace::has_temporal_remainders() const {
    for (const ChainSpace& space : chains_)
        for (int place = 0; place < space.slot_count(); ++place)
            if (!slots_[chain_slots_[place]].spatial && space.slot(place).imperfect_up_to > 1) return true;
    return false;
}

const ChainSlot& Mapspace::chain_slot(const Slot& slot, int dimension) const {
    const int index = static_cast<int>(std::ranges::find(slots_, slot) - slots_.begin());
    const auto place = std::ranges::find(chain_slots_, index) - chain_slots_.begin();
    return chains_[dimension].slot(static_cast<int>(place));
}

// All choices of one dimension's spatial factors with a temporal completion; temporal factors are 1. Slot by slot, with
// all possible numbers of chunks left. Nothing if stopped.
std::optional<std::vector<Chain>> Mapspace::spatial_chains(int dimension, const std::function<bool()>& stop) const {
    constexpr std::int64_t kBetweenAsking = 1024;
    std::int64_t made = 0;
    bool stopped = false;
    const ChainSpace& space = chains_[dimension];
    std::vector<std::pair<Chain, std::set<std::int64_t>>> open{{Chain{}, {space.extent()}}};
    for (int place = 0; place < space.slot_count(); ++place) {
        const bool spatial = slots_[chain_slots_[place]].spatial;
        std::map<Chain, std::set<std::int64_t>> next;
        for (auto& [chain, chunks] : open)
            for (const std::int64_t found : chunks) {
                visit_runs(space.slot(place), found, [&](const ExtentRun& run) {
                    if (space.ways(place + 1, run.chunks) == 0) return true;
                    for (std::int64_t extent = run.first; extent <= run.last && !stopped; ++extent) {
                        stopped = ++made % kBetweenAsking == 0 && stop();
                        Chain longer = chain;
                        longer.push_back(spatial ? extent : 1);
                        next[longer].insert(run.chunks);
                        if (!spatial) break;  // all of the run leave the same rest
                    }
                    return !stopped;
                });
                if (stopped) return std::nullopt;
            }
        open.assign(next.begin(), next.end());
    }
    std::vector<Chain> chains;
    for (auto& [chain, chunks] : open) chains.push_back(chain);
    return chains;
}

std::optional<std::vector<std::vector<std::int32_t>>> Mapspace::imperfect_spatial_factors(
    int dimension, const std::function<bool()>& stop) const {
    std::vector<std::vector<std::int32_t>> all;
    if (!problem_.empty()) return all;
    const std::optional<std::vector<Chain>> chains = spatial_chains(dimension, stop);
    if (!chains) return std::nullopt;
    const auto slots = static_cast<std::size_t>(std::ranges::count_if(slots_, &Slot::spatial));
    for (const Chain& chain : *chains) {
        std::vector<std::int32_t>& factors = all.emplace_back(slots);
        for (std::size_t place = 0; place < chain.size(); ++place)
            if (slots_[chain_slots_[place]].spatial)
                factors[chain_slots_[place]] = static_cast<std::int32_t>(chain[place]);
    }
    return all;
}

bool Mapspace::enumerate_spatial_chains(TilingPoint& point, int d, const std::vector<std::vector<Chain>>& chains,
                                        const std::function<bool(const TilingPoint&)>& visit) const {
    if (d == dimension_count_) {
        if (!parallel_enough(point)) return true;
        for (int l = 0; l < level_count_; ++l) lay_out(point, l, Cover::as_it_may_be);
        return visit(point);
    }
    for (const Chain& chain : chains[d]) {
        write_chain(point, d, chain);
        const bool go_on =
            !fits_so_far(point, Cover::as_it_may_be) || enumerate_spatial_chains(point, d + 1, chains, visit);
        write_chain(point, d, Chain(chain.size(), 1));
        if (!go_on) return false;
    }
    return true;
}

}  // namespace tilewright
