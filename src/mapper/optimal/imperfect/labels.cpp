#include "mapper/optimal/imperfect/labels.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>

#include "mapper/optimal/engine/bucket.hpp"
#include "mapper/optimal/engine/reconstruction.hpp"
#include "mapper/optimal/engine/words_moved.hpp"

namespace tilewright::optimal {

ImperfectLabels::ImperfectLabels(const Mapspace& mapspace, const ImperfectCharges& charges,
                                 ImperfectCompletionBound& completion_bound, Mode mode, std::function<bool()> stop)
    : mapspace_(mapspace),
      charges_(charges),
      completion_bound_(completion_bound),
      setup_(charges.setup()),
      mode_(mode),
      stop_(std::move(stop)) {
    Key stride = 1;
    for (int d = 0; d < charges_.dimension_count(); ++d) {
        strides_[d] = stride;
        stride *= static_cast<Key>(charges_.tiles(d).size());
    }
}

std::vector<Nesting> ImperfectLabels::run(const Mark& mark) {
    mark_ = &mark;
    start();
    for (int l = charges_.level_count() - 1; l >= 0 && !stopped() && !overflowed_; --l) {
        cross(l);
        loops_at(l);
        store(l);
    }
    return stopped() || overflowed_ ? std::vector<Nesting>() : nestings();
}

Position ImperfectLabels::position(const Place& place, const Label& label) {
    Position at = place.at;
    at.since = label.since;
    return at;
}

void ImperfectLabels::start() {
    stored_ = crossed_ = charges_.level_count();
    Label label;
    label.level = static_cast<std::int8_t>(stored_);
    label.open.fill(kSettled);
    label.since.fill(static_cast<std::int8_t>(stored_));
    label.imperfect.fill(0);
    label.closing.fill(-1);
    label.changes.fill(0.0F);
    Place& place = places_[0];
    place.tiles.fill(0);
    lay_out(place, stored_);
    const Position at = position(place, label);
    ours_.energy = Range::exactly(charges_.compute_pj());
    ours_.words.assign(mode_.timed ? words_in_row(stored_) : 0U, Range{});
    for (int t = 0; t < charges_.tensor_count(); ++t) {
        for (int l = 0; l < stored_ && mode_.timed; ++l)
            for (const bool fills : {false, true}) {
                const WordsMoved& least = charges_.least_moved(t, l, fills);
                ours_.words[reads_at(l)] += Range::exactly(least.reads);
                ours_.words[writes_at(l)] += Range::exactly(least.writes);
            }
        Walk walk{charges_.operands(t), true};
        ours_.energy += Range::exactly(charges_.wires().operands_pj(t));
        arrive(t, charges_.next(t, stored_), label, at, walk, ours_);
        if (!walk.asks) continue;
        Pending chain;
        chain.tensor = static_cast<std::int8_t>(t);
        chain.level = static_cast<std::int8_t>(stored_);
        chain.is_chain = true;
        chain.flow.words = walk.asked;
        pending_.push_back(chain);
        ++label.pending_count;
    }
    save(ours_, label);
    put(0, stored_, label);
}

// What depends on the tiles alone.
void ImperfectLabels::lay_out(Place& place, int level) const {
    place.at.crossed = crossed_;
    double least_steps = 1.0;
    Extents tile{};
    for (int d = 0; d < charges_.dimension_count(); ++d) {
        const ImperfectTiles& tiles = charges_.tiles(d);
        place.at.tile[d] = tiles.product(place.tiles[d]);
        place.at.chunks[d] = tiles.chunks(place.tiles[d]);
        tile[d] = std::min(place.at.tile[d], setup_.extents[d]);
        double spread = 1.0;
        for (int l = crossed_; l < charges_.level_count(); ++l) spread *= charges_.spread(l, d);
        if (level == charges_.level_count()) continue;
        least_steps *=
            place.at.tile[d] / spread *
            std::min(tiles.least_steps(level, place.tiles[d]), tiles.least_steps_outside(level, place.tiles[d]));
    }
    place.least_cycles = std::max(least_steps, charges_.least_cycles());
    if (level == charges_.level_count()) return;
    const lean::LevelForm& form = setup_.levels[level];
    double room = 0.0;
    for (std::uint32_t left = charges_.assignment()[level].keep.bits(); left != 0; left &= left - 1) {
        const int t = std::countr_zero(left);
        room += form.room(t, lean::words_in(setup_.tensors[t], tile));
    }
    place.fits = room <= form.capacity;
    place.fills = room >= form.least_use;
}

ImperfectLabels::Place& ImperfectLabels::place_at(Key key, int level) {
    const auto [found, is_new] = places_.try_emplace(key);
    Place& place = found->second;
    if (!is_new) return place;
    for (int d = 0; d < charges_.dimension_count(); ++d)
        place.tiles[d] = static_cast<std::int16_t>(key / strides_[d] % static_cast<Key>(charges_.tiles(d).size()));
    lay_out(place, level);
    fresh_.push_back(key);
    std::push_heap(fresh_.begin(), fresh_.end(), std::greater<>());
    return place;
}

// ---------------------------------------------------------------- from block to block

void ImperfectLabels::cross(int level) {
    crossed_ = level;
    forget();
    const std::unordered_map<Key, Place> inside = std::move(places_);
    places_.clear();
    fresh_.clear();
    for (const auto& [from, place] : inside) {
        Key key = 0;
        bool leads_on = true;
        std::uint32_t imperfect = 0;
        for (int d = 0; d < charges_.dimension_count() && leads_on; ++d) {
            const int to = charges_.tiles(d).across(level, place.tiles[d]);
            leads_on = to >= 0;
            key += strides_[d] * static_cast<Key>(to);
            if (std::fmod(place.at.chunks[d], charges_.spread(level, d)) != 0.0) imperfect |= 1U << d;
        }
        if (!leads_on) continue;
        Place& outside = place_at(key, level);
        if (!outside.fits) continue;
        const std::int16_t closing = closing_at(level, place.at, imperfect);
        for (const Entry& entry : place.entries) {
            Label label = labels_[static_cast<std::size_t>(entry.label)];
            label.parent = entry.label;
            label.factor = 1;
            label.loops = {};
            label.imperfect[level] = static_cast<std::uint16_t>(imperfect);
            label.closing[level] = closing;
            put(key, level, label);
        }
    }
}

void ImperfectLabels::loops_at(int level) {
    visit_loop_groups(mapspace_, charges_.assignment()[level], level, charges_.dimension_count(),
                      [&](std::uint32_t dimensions, std::uint32_t) { loops_at(level, dimensions); });
}

// Steps only lead to places of larger keys: the one that is looked at does not change any more.
void ImperfectLabels::loops_at(int level, std::uint32_t dimensions) {
    fresh_.clear();
    for (const auto& [key, place] : places_) fresh_.push_back(key);
    std::make_heap(fresh_.begin(), fresh_.end(), std::greater<>());
    while (!fresh_.empty() && !stopped() && !overflowed_) {
        const Key key = fresh_.front();
        std::pop_heap(fresh_.begin(), fresh_.end(), std::greater<>());
        fresh_.pop_back();
        for (const Entry& entry : places_.at(key).entries) {
            if (stopped()) break;
            extend(level, key, entry.label, dimensions);
        }
        overflowed_ = labels_.size() > mode_.most_labels;
    }
}

void ImperfectLabels::extend(int level, Key key, std::int32_t from, std::uint32_t dimensions) {
    const Place& place = places_.at(key);
    for (std::uint32_t left = dimensions; left != 0; left &= left - 1) {
        const int d = std::countr_zero(left);
        if (d >= charges_.dimension_count()) break;
        if (!labels_[static_cast<std::size_t>(from)].loops.may_add(d)) continue;
        for (const ImperfectTiles::Step& next : charges_.tiles(d).steps(level, place.tiles[d]))
            step(level, key, from, d, next);
    }
}

void ImperfectLabels::step(int level, Key key, std::int32_t from, int dimension, const ImperfectTiles::Step& step) {
    const ImperfectTiles& tiles = charges_.tiles(dimension);
    if (tiles.least_steps(level, step.to) >= 1e299 && tiles.least_steps_outside(level, step.to) >= 1e299) return;
    const Place& place = places_.at(key);
    const Key to = key_with(key, dimension, place.tiles[dimension], step.to);
    const Place& target = place_at(to, level);
    if (!target.fits) return;
    Label label = labels_[static_cast<std::size_t>(from)];
    label.parent = from;
    label.level = static_cast<std::int8_t>(level);
    label.dimension = static_cast<std::int8_t>(dimension);
    label.factor = step.factor;
    label.since[dimension] = static_cast<std::int8_t>(level);
    advance(label, place, dimension, step.factor, position(target, label));
    label.loops.add(dimension, tiles.is_bounded(level), slides_along(label, dimension));
    change_places(label, level, dimension, step.factor);
    put(to, level, label);
}

bool ImperfectLabels::slides_along(const Label& label, int dimension) const {
    const auto first = pending_.begin() + label.pending;
    return std::any_of(first, first + label.pending_count, [dimension](const Pending& window) {
        return !window.is_chain && !window.settled && window.tile.slides_along(dimension);
    });
}

ImperfectLabels::Label ImperfectLabels::stored(int level, std::int32_t from) const {
    Label label = labels_[static_cast<std::size_t>(from)];
    label.parent = from;
    label.factor = 1;
    label.loops = {};
    for (int t = 0; t < charges_.tensor_count(); ++t)
        if (charges_.is_boundary(t, level) && label.open[t] == kSettled)
            label.open[t] = static_cast<std::int8_t>(level);
    return label;
}

void ImperfectLabels::store(int level) {
    stored_ = level;
    forget();
    const std::unordered_map<Key, Place> inside = std::move(places_);
    places_.clear();
    fresh_.clear();
    for (const auto& [key, place] : inside) {
        if (!place.fits || !place.fills) continue;
        bool leads_on = true;
        std::uint32_t missing = 0;
        for (int d = 0; d < charges_.dimension_count(); ++d) {
            leads_on = leads_on && charges_.tiles(d).may_store(level, place.tiles[d]);
            if (mapspace_.chain_slot({level, false}, d).at_least > 1) missing |= 1U << d;
        }
        if (!leads_on) continue;
        place_at(key, level);
        for (const Entry& entry : place.entries) {
            if ((missing & ~labels_[static_cast<std::size_t>(entry.label)].loops.taken) != 0) continue;
            Label label = stored(level, entry.label);
            if (level == 0) finish(label, place);
            if (mode_.timed) fold(level, label);
            put(key, level, label);
        }
    }
}

// ---------------------------------------------------------------- one nest alone

// Leaves only the place and the label that the loops lead to.
bool ImperfectLabels::place_loops(int level, const PerfectLevel& loops) {
    for (int k = 0; k < charges_.dimension_count(); ++k) {
        const int d = loops.order[k];
        for (std::int32_t left = loops.temporal[d]; left > 1;) {
            if (places_.size() != 1 || places_.begin()->second.entries.size() != 1) return false;
            const Key key = places_.begin()->first;
            const std::int32_t from = places_.begin()->second.entries.front().label;
            const auto steps = charges_.tiles(d).steps(level, places_.begin()->second.tiles[d]);
            const bool bounded = charges_.tiles(d).is_bounded(level);
            const auto next = std::find_if(steps.begin(), steps.end(), [&](const ImperfectTiles::Step& step) {
                return bounded ? step.factor == left : left % step.factor == 0;
            });
            if (next == steps.end()) return false;
            step(level, key, from, d, *next);
            left /= next->factor;
            places_.erase(key);
        }
    }
    return true;
}

std::optional<ImperfectLabels::Price> ImperfectLabels::price(const PerfectPoint& point) {
    Least at_least;
    Mark note;
    note.pruned = [&at_least](double energy_pj, double cycles) {
        at_least = {std::max(at_least.energy_pj, energy_pj), std::max(at_least.cycles, cycles)};
        return false;
    };
    note.limit_pj = [](double) { return std::numeric_limits<double>::infinity(); };
    mark_ = &note;
    start();
    for (int l = charges_.level_count() - 1; l >= 0; --l) {
        cross(l);
        if (!place_loops(l, point[l])) return std::nullopt;
        store(l);
    }
    if (places_.size() != 1 || places_.begin()->second.entries.size() != 1) return std::nullopt;
    const Place& place = places_.begin()->second;
    const Label& label = labels_[static_cast<std::size_t>(place.entries.front().label)];
    Price price{label.energy, Range::exactly(place.least_cycles), at_least};
    if (label.words < 0) return price;
    const Range& cycles = words_[static_cast<std::size_t>(label.words)];
    return Price{
        label.energy, {std::max(place.least_cycles, cycles.lo), std::max(place.least_cycles, cycles.hi)}, at_least};
}

// ---------------------------------------------------------------- which labels live

// Deliveries to memories that are not placed yet, and what the open ones cost more.
double ImperfectLabels::completion_pj(const Label& label, const Place& place, double limit_pj) {
    Waiting waiting{label.open, {}};
    std::uint32_t imperfect = 0;
    for (int l = crossed_; l < charges_.level_count(); ++l) imperfect |= label.imperfect[l];
    for (; imperfect != 0; imperfect &= imperfect - 1) {
        const int d = std::countr_zero(imperfect);
        const double extent = setup_.extents[d];
        waiting.add_idle(d, std::min(1.0, (place.at.chunks[d] * place.at.tile[d] - extent) / extent));
    }
    return stored_ == crossed_ ? completion_bound_.after_store_pj(stored_, place.at.chunks, waiting, limit_pj)
                               : completion_bound_.before_loops_pj(crossed_, place.at.chunks, waiting, limit_pj);
}

void ImperfectLabels::put(Key key, int level, Label& label) {
    if (stop_.count()) return;
    Place& place = place_at(key, level);
    const auto [least, cycles] = least_of(label, place);
    if (mark_->pruned(least + completion_pj(label, place, mark_->limit_pj(cycles) - least), cycles)) return;
    const Entry mine = entry_of(label, least);
    forget(mine.label);
    labels_.push_back(label);
    const auto may_win = [](const Entry& a, const Entry& b) {
        constexpr double kRounding = 1.0 + 1e-12;  // of sums
        return a.most_pj <= b.least_pj && a.moved.hi <= b.moved.lo * kRounding;
    };
    const auto is_better = [&](const Entry& other) {
        return may_win(other, mine) && dominates(place, other.label, mine.label, least);
    };
    const auto is_worse = [&](const Entry& other) {
        return may_win(mine, other) && dominates(place, mine.label, other.label, other.least_pj);
    };
    if (!insert_undominated(place.entries, mine, mode_.most_per_place, is_better, is_worse)) labels_.pop_back();
}

// ---------------------------------------------------------------- the nests they stand for

std::vector<Nesting> ImperfectLabels::nestings() {
    std::vector<Nesting> all;
    for (const auto& [key, place] : places_) {
        const bool whole = std::all_of(place.at.chunks.begin(), place.at.chunks.begin() + charges_.dimension_count(),
                                       [](double chunks) { return chunks == 1.0; });
        if (!whole) continue;
        for (const Entry& entry : place.entries) {
            const Label& label = labels_[static_cast<std::size_t>(entry.label)];
            all.push_back(nesting(label, cycles_of(label, place)));
        }
    }
    std::sort(all.begin(), all.end(), [](const Nesting& a, const Nesting& b) {
        return a.energy_pj != b.energy_pj ? a.energy_pj < b.energy_pj : a.cycles < b.cycles;
    });
    return all;
}

Nesting ImperfectLabels::nesting(const Label& label, double cycles) const {
    NestBuilder nest(mapspace_, charges_.assignment());
    for (const Label* step : history(labels_, label))
        if (step->factor > 1) nest.add_loop(step->level, step->dimension, step->factor);
    Nesting nesting{nest.point(), {}, label.energy.lo, cycles};
    for (int l = 0; l < charges_.level_count(); ++l) mapspace_.settle_order(nesting.point, l);
    return nesting;
}

}  // namespace tilewright::optimal
