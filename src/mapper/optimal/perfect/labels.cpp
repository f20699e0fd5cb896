#include "mapper/optimal/perfect/labels.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include "mapper/optimal/engine/words_moved.hpp"

namespace tilewright::optimal {

Labels::Labels(const Mapspace& mapspace, const TileTable& tiles, const Stages& stages, bool timed,
               std::function<bool()> stop, std::size_t width)
    : mapspace_(mapspace),
      tiles_(tiles),
      charges_(tiles.charges()),
      setup_(charges_.setup()),
      lattice_(tiles.lattice()),
      stages_(stages),
      stop_(std::move(stop)),
      width_(width),
      word_count_(timed ? words_in_row(charges_.level_count()) : 0),
      waiting_(stages.all().size()),
      fits_(static_cast<std::size_t>(stages.are_even() ? 0 : lattice_.size())) {
    look_at_windows();
    for (int l = 0; l < charges_.level_count(); ++l)
        for (int d = 0; d < charges_.dimension_count(); ++d) {
            const FactorBounds& bounds = mapspace.temporal_bounds(l, d);
            if (bounds.at_least > 1 || static_cast<double>(bounds.at_most) < charges_.rest()[d]) bounded_[l] |= 1U << d;
        }
}

Extents Labels::tile(int level, int point) const {
    Extents tile = charges_.inner(level);
    const Extents& loops = lattice_.loops(point);
    for (int d = 0; d < charges_.dimension_count(); ++d) tile[d] *= loops[d];
    return tile;
}

std::vector<Nesting> Labels::run(const Pruned& pruned, const CompletionBound& completion) {
    pruned_ = &pruned;
    completion_ = &completion;
    start();
    const std::vector<Stage>& stages = stages_.all();
    for (std::size_t i = 0; i + 1 < stages.size() && !stopped(); ++i) {
        if (waiting_[i].empty()) continue;  // nothing came so far
        places_ = std::move(waiting_[i]);
        stage_ = &stages[i];
        stage_number_ = i;
        find_fitting(stages[i]);
        loops_at(stages[i]);
        for (const Placing& placing : stages[i].next) {
            const auto to = static_cast<std::size_t>(placing.to);
            stage_ = &stages[to];
            stage_number_ = to;
            store(stages[i], placing);
        }
    }
    return stopped() ? std::vector<Nesting>() : nestings();
}

void Labels::start() {
    const int units = charges_.level_count();
    Label label;
    label.energy_pj = charges_.fixed_pj();
    label.level = static_cast<std::int8_t>(units);
    label.open.fill(kSettled);
    if (word_count_ > 0) own_words(label);
    moved_.clear();
    for (int t = 0; t < charges_.tensor_count(); ++t) {
        if (charges_.delivery(t, units).dynamic) {
            Window window;
            window.tensor = static_cast<std::int8_t>(t);
            window.level = static_cast<std::int8_t>(units);
            window.moved = window.settled = true;
            window.sent = charges_.steps();
            moved_.push_back(window);
        } else {
            const FirstWordsRange first = optimal::first_words(charges_, t, units, lattice_.loops(0));
            label.doubt_pj += charges_.energy_pj(t, units, charges_.steps(), first.least) -
                              charges_.energy_pj(t, units, charges_.steps(), first.most);
            add_words(label, t, units, charges_.steps(), first, 1.0);
        }
    }
    stage_ = &stages_.all().front();
    for (int level = units - 1; level >= stage_->crossed; --level) cross(level, 0);
    keep_windows(label, 0, moved_);
    waiting_.front().resize(static_cast<std::size_t>(lattice_.size()));
    put(waiting_.front(), 0, label);
}

// ---------------------------------------------------------------- deliveries that are open

// Of the memories from `from` outwards that have been placed, all with the same innermost moving loop: the next one.
double Labels::open_pj(int point, int tensor, int from) {
    double pj = 0.0;
    for (int l = from; l >= stage_->stored[tensor]; --l)
        if (charges_.delivery(tensor, l).tracked) pj += tiles_.moving_pj(tensor, l, point);
    return pj;
}

void Labels::add_open_words(int point, int tensor, int level, std::span<double> moved) const {
    charges_.add_words(tensor, level, lattice_.around(point) * tiles_.words(tensor, level, point),
                       tiles_.distinct(tensor, level, point), moved);
}

void Labels::settle_open(Label& label, int point, int tensor) {
    const int from = label.open[tensor];
    label.energy_pj += open_pj(point, tensor, from);
    label.open[tensor] = kSettled;
    for (std::size_t half = 0; half < words_per_label(); half += word_count_) {
        const std::span<double> moved = std::span(own_words(label) + half, word_count_).subspan(1);
        for (int l = from; l >= stage_->stored[tensor]; --l)
            if (charges_.delivery(tensor, l).tracked) add_open_words(point, tensor, l, moved);
    }
}

// ---------------------------------------------------------------- from block to block

void Labels::loops_at(const Stage& stage) {
    const int level = stage.owner;
    int turn = 0;
    visit_loop_groups(mapspace_, charges_.assignment()[level], level, charges_.dimension_count(),
                      [&](std::uint32_t dimensions, std::uint32_t to_come) {
                          loops_to_come_ = to_come;
                          if (!stages_.are_even()) turn_ = turn++;
                          loops_at(level, dimensions);
                      });
}

void Labels::loops_at(int level, std::uint32_t dimensions) {
    for (int d = 0; d < charges_.dimension_count(); ++d)
        if (charges_.rest()[d] == 1.0 || mapspace_.temporal_bounds(level, d).at_most == 1) dimensions &= ~(1U << d);
    if (dimensions == 0) return;
    for (int point = 0; point < lattice_.size() && !stopped(); ++point) {
        // Steps only lead to later points: this place does not change under us.
        for (const Entry& entry : places_[static_cast<std::size_t>(point)]) {
            if (stop_.count()) break;
            if (labels_[static_cast<std::size_t>(entry.label)].turn > turn_) continue;
            extend(level, point, entry.label, dimensions);
        }
    }
}

void Labels::extend(int level, int point, std::int32_t from, std::uint32_t dimensions) {
    for (const Axis& axis : lattice_.axes()) {
        if ((dimensions >> axis.dimension & 1U) == 0 || is_bounded(level, axis.dimension)) continue;
        if (lattice_.exponent(point, axis) < axis.most)
            step(level, point, from, axis.dimension, axis.prime, point + axis.stride);
    }
    for (std::uint32_t left = dimensions; left != 0; left &= left - 1) {
        const int d = std::countr_zero(left);
        if (!is_bounded(level, d)) continue;
        const FactorBounds& bounds = mapspace_.temporal_bounds(level, d);
        const auto most = std::min(bounds.at_most, static_cast<std::int64_t>(charges_.rest()[d]));
        for (std::int64_t factor = std::max<std::int64_t>(2, bounds.at_least); factor <= most; ++factor)
            if (const int to = lattice_.after(point, d, factor); to >= 0) step(level, point, from, d, factor, to);
    }
}

void Labels::step(int level, int point, std::int32_t from, int dimension, std::int64_t factor, int to) {
    Label label = labels_[static_cast<std::size_t>(from)];
    if (!label.loops.may_add(dimension) || !fits(to, label)) return;
    label.parent = from;
    label.turn = static_cast<std::int8_t>(turn_);
    label.level = static_cast<std::int8_t>(level);
    label.dimension = static_cast<std::int8_t>(dimension);
    label.factor = static_cast<std::int32_t>(factor);
    label.owns_words = false;
    for (int t = 0; t < charges_.tensor_count(); ++t)
        if (label.open[t] != kSettled && (setup_.tensors[t].relevant >> dimension & 1U) != 0)
            settle_open(label, point, t);
    if (label.window_count > 0) {
        moved_.assign(windows_.begin() + label.windows, windows_.begin() + label.windows + label.window_count);
        for (Window& window : moved_) move(window, point, dimension, static_cast<double>(factor), to);
        keep_windows(label, to, moved_);
    }
    label.loops.add(dimension, is_bounded(level, dimension), slides_along(label, dimension));
    put(places_, rest_is_free(to, label) ? lattice_.size() - 1 : to, label);
}

// All that is left are loops of the outermost memory, in any order, and they change nothing.
bool Labels::rest_is_free(int point, const Label& label) const {
    if (stage_->next.front().memory > 0 || label.window_count > 0) return false;
    for (int t = 0; t < charges_.tensor_count(); ++t)
        if (label.open[t] != kSettled) return false;
    for (int d = 0; d < charges_.dimension_count(); ++d) {
        if (is_bounded(0, d)) return false;
        const bool may_come = ((loops_to_come_ & ~label.loops.complete) >> d & 1U) != 0;
        if (!may_come && lattice_.loops(point)[d] < charges_.rest()[d]) return false;
    }
    return true;
}

// What the tensors that the memory has yet to store take, if it did so here.
double Labels::room_for(int point, int level) const {
    double room = 0.0;
    for (std::uint32_t left = charges_.assignment()[level].keep.bits(); left != 0; left &= left - 1) {
        const int t = std::countr_zero(left);
        if (stage_->stored[t] > level) room += setup_.levels[level].room(t, tiles_.words(t, level, point));
    }
    return room;
}

// In even mappings a place has something to come only where the next memory has room.
void Labels::find_fitting(const Stage& stage) {
    if (stages_.are_even()) return;
    std::uint32_t filled = 0;
    for (const Placing& placing : stage.next) filled |= 1U << placing.memory;
    for (int point = 0; point < lattice_.size(); ++point) {
        const auto at = static_cast<std::size_t>(point);
        const int before = lattice_.before(point);
        fits_[at] = 0;
        if (before >= 0 && fits_[static_cast<std::size_t>(before)] == 0) continue;  // then this one is too large too
        bool fits = true;
        for (std::uint32_t left = filled; left != 0 && fits; left &= left - 1) {
            const int level = std::countr_zero(left);
            fits = room_for(point, level) <= setup_.levels[level].capacity;
        }
        fits_[at] = fits ? 1 : 0;
    }
}

bool Labels::fits(int point, const Label& label) const {
    if (stages_.are_even()) return completion_->pj(stage_number_, point) < std::numeric_limits<double>::infinity();
    if (fits_[static_cast<std::size_t>(point)] == 0) return false;
    for (std::uint32_t left = stage_->begun; left != 0; left &= left - 1) {
        const int level = std::countr_zero(left);
        const double used = used_[static_cast<std::size_t>(label.used + level)];
        if (used + room_for(point, level) > setup_.levels[level].capacity) return false;
    }
    return true;
}

// ---------------------------------------------------------------- from stage to stage

// The memories to which no more loops belong have all those they need.
bool Labels::closes_block(const Stage& from, const Stage& to, const Label& label) const {
    for (int level = from.owner; level > to.owner; --level)
        for (int d = 0; d < charges_.dimension_count(); ++d) {
            const bool taken = level == from.owner && (label.loops.taken >> d & 1U) != 0;
            if (!taken && mapspace_.temporal_bounds(level, d).at_least > 1) return false;
        }
    return true;
}

// False when the memory is too small, or the last of its tensors leaves too much of it empty.
bool Labels::take_room(const Placing& placing, double room, Label& label) {
    const lean::LevelForm& form = setup_.levels[placing.memory];
    const auto levels = static_cast<std::size_t>(charges_.level_count());
    const bool has_begun = label.used >= 0;
    if (has_begun) room += used_[static_cast<std::size_t>(label.used + placing.memory)];
    if (room > form.capacity || (placing.completes && room < form.least_use)) return false;
    if (stage_->begun == 0) {
        label.used = -1;
        return true;
    }
    const std::size_t begin = used_.size();
    used_.resize(begin + levels, 0.0);
    if (has_begun) std::copy_n(used_.begin() + label.used, levels, used_.begin() + static_cast<std::ptrdiff_t>(begin));
    label.used = static_cast<std::int32_t>(begin);
    used_[begin + static_cast<std::size_t>(placing.memory)] = placing.completes ? 0.0 : room;
    return true;
}

// The deliveries to memories that have just been placed.
void Labels::open(const Stage& from, int point, Label& label) {
    for (int t = 0; t < charges_.tensor_count(); ++t) {
        for (int level = from.stored[t] - 1; level >= stage_->stored[t]; --level) {
            if (level <= charges_.outermost(t) || !charges_.delivery(t, level).tracked) continue;
            if (setup_.tensors[t].plain) {
                if (label.open[t] == kSettled) label.open[t] = static_cast<std::int8_t>(level);
            } else {
                Window window;
                window.tensor = static_cast<std::int8_t>(t);
                window.level = static_cast<std::int8_t>(level);
                window.stored_at = point;
                moved_.push_back(window);
            }
        }
    }
}

Labels::Label Labels::stored(const Stage& from, const Placing& placing, int point, std::int32_t origin) {
    Label label = labels_[static_cast<std::size_t>(origin)];
    label.parent = origin;
    label.factor = 1;
    label.level = static_cast<std::int8_t>(placing.memory);
    label.tensors = static_cast<std::uint8_t>(placing.tensors.bits());
    const bool same_memory = from.owner == stage_->owner;
    label.loops = {.taken = same_memory ? label.loops.taken : 0};
    if (!same_memory) label.turn = 0;
    label.owns_words = false;
    moved_.assign(windows_.begin() + label.windows, windows_.begin() + label.windows + label.window_count);
    open(from, point, label);
    for (int level = from.crossed - 1; level >= stage_->crossed; --level) cross(level, point);
    keep_windows(label, point, moved_);
    if (word_count_ > 0) fold(placing.memory, label);
    return label;
}

void Labels::store(const Stage& from, const Placing& placing) {
    std::vector<Place>& places = waiting_[static_cast<std::size_t>(placing.to)];
    places.resize(static_cast<std::size_t>(lattice_.size()));
    const bool last = placing.memory == 0;  // holds everything
    for (int point = last ? lattice_.size() - 1 : 0; point < lattice_.size(); ++point) {
        const Place& place = places_[static_cast<std::size_t>(point)];
        if (place.empty() || (!stages_.are_even() && fits_[static_cast<std::size_t>(point)] == 0)) continue;
        double room = 0.0;
        for (std::uint32_t left = placing.tensors.bits(); left != 0; left &= left - 1) {
            const int t = std::countr_zero(left);
            room += setup_.levels[placing.memory].room(t, tiles_.words(t, placing.memory, point));
        }
        for (const Entry& entry : place) {
            if (!closes_block(from, *stage_, labels_[static_cast<std::size_t>(entry.label)])) continue;
            Label label = stored(from, placing, point, entry.label);
            if (!take_room(placing, room, label)) {
                drop(label);
                continue;
            }
            if (last) finish(label);
            put(places, point, label);
        }
    }
}

void Labels::finish(Label& label) {
    const int point = lattice_.size() - 1;
    for (int t = 0; t < charges_.tensor_count(); ++t)
        if (label.open[t] != kSettled) settle_open(label, point, t);
    moved_.assign(windows_.begin() + label.windows, windows_.begin() + label.windows + label.window_count);
    for (Window& window : moved_) window.settled = true;
    keep_windows(label, point, moved_);
    if (word_count_ > 0) fold(0, label);
}

}  // namespace tilewright::optimal
