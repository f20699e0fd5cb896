// The mapspace where factors may leave remainders: each dimension's factors are a chain (mapspace/chains.hpp).
//
// Chains run from the innermost slot outwards, since what a slot finds depends on the slots inside it: the fan-out
// below a memory, then the memory's temporal loops.
#include <algorithm>
#include <map>
#include <set>

#include "mapspace/mapspace.hpp"

namespace tilewright {
namespace {

std::int32_t& factor_at(PerfectPoint& point, const Slot& slot, int dimension) {
    PerfectLevel& level = point[slot.level];
    return slot.spatial ? level.spatial[dimension] : level.temporal[dimension];
}

/// Any extent that can be finished, each equally likely (`evenly`), or each in proportion to the ways to go on. 0: none
/// can.
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
        chain_slot.at_most = std::min(chain_slot.at_most, std::max(x, y));
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

Chain Mapspace::chain_of(const PerfectPoint& point, int dimension) const {
    Chain chain;
    chain.reserve(chain_slots_.size());
    for (const int s : chain_slots_) {
        const PerfectLevel& level = point[slots_[s].level];
        chain.push_back(slots_[s].spatial ? level.spatial[dimension] : level.temporal[dimension]);
    }
    return chain;
}

void Mapspace::write_chain(PerfectPoint& point, int dimension, const Chain& chain) const {
    for (std::size_t place = 0; place < chain.size(); ++place)
        factor_at(point, slots_[chain_slots_[place]], dimension) = static_cast<std::int32_t>(chain[place]);
}

// Spatial extents that have room are equally likely, as where all factors divide; temporal ones so that every way to go
// on is.
bool Mapspace::sample_chain(Random& random, PerfectPoint& point, int dimension) const {
    const ChainSpace& space = chains_[dimension];
    const std::uint32_t bit = 1U << dimension;
    std::int64_t chunks = space.extent();
    for (int place = 0; place < space.slot_count(); ++place) {
        const Slot& slot = slots_[chain_slots_[place]];
        ChainSlot allowed = space.slot(place);
        if (slot.spatial) {
            const SpatialRule& rule = spatial_[slot.level];
            const Room room = room_left(point, slot.level);
            const bool on_y = (rule.may_y & bit) != 0 && ((rule.may_x & bit) == 0 || random.chance(0.5));
            allowed.at_most = std::min(allowed.at_most, on_y ? room.y : room.x);
            if (on_y) point[slot.level].on_y |= bit;
        }
        const std::int64_t extent = draw_extent(random, space, place, allowed, chunks, slot.spatial);
        if (extent == 0) return false;
        factor_at(point, slot, dimension) = static_cast<std::int32_t>(extent);
        chunks = ceil_div(chunks, extent);
    }
    return chunks == 1;
}

bool Mapspace::sample_chains(Random& random, PerfectPoint& point) const {
    for (int l = 0; l < level_count_; ++l) {
        point[l].on_y = 0;
        point[l].spatial.fill(1);
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

bool Mapspace::redraw_factors(Random& random, PerfectPoint& point, int dimension) const {
    if (chains_.empty()) return false;
    Chain chain = chain_of(point, dimension);
    return chains_[dimension].step(random, chain) && put_chain(point, dimension, chain);
}

bool Mapspace::empty_slot(PerfectPoint& point, int dimension, int slot) const {
    if (chains_.empty()) return false;
    Chain chain = chain_of(point, dimension);
    const auto place = std::ranges::find(chain_slots_, slot) - chain_slots_.begin();
    chain[place] = chains_[dimension].slot(static_cast<int>(place)).at_least;
    std::int64_t chunks = chains_[dimension].extent();
    for (std::size_t i = 0; i + 1 < chain.size(); ++i) chunks = ceil_div(chunks, chain[i]);
    chain.back() = chunks;
    return chains_[dimension].contains(chain) && put_chain(point, dimension, chain);
}

// The axes stay, but a loop that has no room on its own axis may go to the other one.
bool Mapspace::put_chain(PerfectPoint& point, int dimension, const Chain& chain) const {
    const Chain before = chain_of(point, dimension);
    const std::uint32_t bit = 1U << dimension;
    std::array<std::uint32_t, kMaxMemories> axes;
    for (int l = 0; l < level_count_; ++l) axes[l] = point[l].on_y;
    write_chain(point, dimension, chain);
    bool fits = true;
    for (int l = 0; l < level_count_ && fits; ++l) {
        PerfectLevel& level = point[l];
        if (level.spatial[dimension] == 1) continue;
        const auto fits_here = [&] {
            const Room room = room_left(point, l);
            const std::uint32_t may = level.runs_on_y(dimension) ? spatial_[l].may_y : spatial_[l].may_x;
            return (may & bit) != 0 && room.x >= 1 && room.y >= 1;
        };
        fits = fits_here();
        if (!fits) {
            level.on_y ^= bit;
            fits = fits_here();
        }
    }
    if (!fits) {
        write_chain(point, dimension, before);
        for (int l = 0; l < level_count_; ++l) point[l].on_y = axes[l];
        return false;
    }
    for (int l = 0; l < level_count_; ++l) order_spatial(point, l);
    return true;
}

// Does the spatial loop of the dimension below memory `level`?
bool Mapspace::leaves_remainder(const PerfectPoint& point, int level, int dimension) const {
    if (point[level].spatial[dimension] == 1) return false;
    std::int64_t left = chains_[dimension].extent() - 1;
    for (int l = level_count_ - 1; l > level; --l)
        left = left / point[l].spatial[dimension] / point[l].temporal[dimension];
    return left % point[level].spatial[dimension] + 1 != point[level].spatial[dimension];
}

bool Mapspace::enumerate_chains(PerfectPoint& point, int d,
                                const std::function<bool(const PerfectPoint&)>& visit) const {
    if (d == dimension_count_) {
        if (!parallel_enough(point)) return true;
        for (int l = 0; l < level_count_; ++l) order_spatial(point, l);
        return enumerate_keeps(point, 0, visit);
    }
    return chains_[d].enumerate([&](const Chain& chain) {
        write_chain(point, d, chain);
        const bool go_on = enumerate_axes(point, d, 0, [&] { return enumerate_chains(point, d + 1, visit); });
        write_chain(point, d, Chain(chain.size(), 1));
        return go_on;
    });
}

// All axes that the spatial loops of one dimension may have.
bool Mapspace::enumerate_axes(PerfectPoint& point, int d, int level, const std::function<bool()>& next) const {
    if (level == level_count_) return next();
    if (point[level].spatial[d] == 1) return enumerate_axes(point, d, level + 1, next);
    const std::uint32_t bit = 1U << d;
    for (const bool on_y : {false, true}) {
        if (((on_y ? spatial_[level].may_y : spatial_[level].may_x) & bit) == 0) continue;
        point[level].on_y = on_y ? point[level].on_y | bit : point[level].on_y & ~bit;
        const Room room = room_left(point, level);
        const bool go_on = room.x < 1 || room.y < 1 || enumerate_axes(point, d, level + 1, next);
        point[level].on_y &= ~bit;
        if (!go_on) return false;
    }
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

// All choices of one dimension's spatial factors that some temporal factors complete; the temporal ones are 1. Slot by
// slot, with all the numbers of chunks that may be left.
std::vector<Chain> Mapspace::spatial_chains(int dimension) const {
    const ChainSpace& space = chains_[dimension];
    std::vector<std::pair<Chain, std::set<std::int64_t>>> open{{Chain{}, {space.extent()}}};
    for (int place = 0; place < space.slot_count(); ++place) {
        const bool spatial = slots_[chain_slots_[place]].spatial;
        std::map<Chain, std::set<std::int64_t>> next;
        for (auto& [chain, chunks] : open)
            for (const std::int64_t found : chunks)
                visit_runs(space.slot(place), found, [&](const ExtentRun& run) {
                    if (space.ways(place + 1, run.chunks) == 0) return true;
                    for (std::int64_t extent = run.first; extent <= run.last; ++extent) {
                        Chain longer = chain;
                        longer.push_back(spatial ? extent : 1);
                        next[longer].insert(run.chunks);
                        if (!spatial) break;  // all of the run leave as much
                    }
                    return true;
                });
        open.assign(next.begin(), next.end());
    }
    std::vector<Chain> chains;
    for (auto& [chain, chunks] : open) chains.push_back(chain);
    return chains;
}

bool Mapspace::enumerate_spatial_chains(PerfectPoint& point, int d, const std::vector<std::vector<Chain>>& chains,
                                        const std::function<bool(const PerfectPoint&)>& visit) const {
    if (d == dimension_count_) return !parallel_enough(point) || visit(point);
    for (const Chain& chain : chains[static_cast<std::size_t>(d)]) {
        write_chain(point, d, chain);
        const bool go_on =
            enumerate_axes(point, d, 0, [&] { return enumerate_spatial_chains(point, d + 1, chains, visit); });
        write_chain(point, d, Chain(chain.size(), 1));
        if (!go_on) return false;
    }
    return true;
}

}  // namespace tilewright
