#include "mapper/optimal/perfect/delivery.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include "mapper/optimal/engine/words_moved.hpp"

namespace tilewright::optimal {

PerfectDelivery::PerfectDelivery(const Mapspace& mapspace, const TileTable& tiles, const Stages& stages, bool timed)
    : mapspace_(mapspace),
      tiles_(tiles),
      charges_(tiles.charges()),
      setup_(charges_.setup()),
      lattice_(tiles.lattice()),
      stages_(stages),
      word_count_(timed ? words_in_row(charges_.level_count()) : 0),
      fits_(static_cast<std::size_t>(stages.are_even() ? 0 : lattice_.size())) {
    look_at_tensors();
    for (int l = 0; l < charges_.level_count(); ++l)
        for (int d = 0; d < charges_.dimension_count(); ++d) {
            const FactorBounds& bounds = mapspace.temporal_bounds(l, d);
            if (bounds.at_least > 1 || static_cast<double>(bounds.at_most) < charges_.rest()[d]) bounded_[l] |= 1U << d;
        }
}

Extents PerfectDelivery::tile(int level, int point) const {
    Extents tile = charges_.inner(level);
    const Extents& loops = lattice_.loops(point);
    for (int d = 0; d < charges_.dimension_count(); ++d) tile[d] *= loops[d];
    return tile;
}

PerfectDelivery::Node PerfectDelivery::start(Frontier& frontier, Label& label) {
    const int units = charges_.level_count();
    label.energy = Range::exactly(charges_.fixed_pj());
    label.level = static_cast<std::int8_t>(units);
    label.open.fill(kSettled);
    if (word_count_ > 0) own_words(label);
    moved_.clear();
    for (int t = 0; t < charges_.tensor_count(); ++t) {
        if (charges_.delivery(t, units).dynamic) {
            SlidingDelivery sliding;
            sliding.tensor = static_cast<std::int8_t>(t);
            sliding.level = static_cast<std::int8_t>(units);
            sliding.moved = sliding.settled = true;
            sliding.sent = charges_.steps();
            moved_.push_back(sliding);
        } else {
            const FirstWordsRange first = optimal::first_words(charges_, t, units, lattice_.loops(0));
            label.energy.hi += charges_.energy_pj(t, units, charges_.steps(), first.least) -
                               charges_.energy_pj(t, units, charges_.steps(), first.most);
            add_words(label, t, units, charges_.steps(), first, 1.0);
        }
    }
    stage_ = &stages_.all().front();
    for (int level = units - 1; level >= stage_->crossed; --level) cross(level, 0);
    keep_sliding(label, 0, moved_);
    frontier.buckets.resize(static_cast<std::size_t>(lattice_.size()));
    return 0;
}

void PerfectDelivery::enter(std::size_t stage) {
    from_ = stage_ = &stages_.all()[stage];
    stage_number_ = stage;
    next_turn_ = 0;
    find_fitting(*stage_);
}

// ---------------------------------------------------------------- deliveries that are open

// Of the placed memories from `from` outwards with the same innermost moving loop: the next one.
double PerfectDelivery::open_pj(int point, int tensor, int from) {
    double pj = 0.0;
    for (int l = from; l >= stage_->stored[tensor]; --l)
        if (charges_.delivery(tensor, l).keeps) pj += tiles_.moving_pj(tensor, l, point);
    return pj;
}

void PerfectDelivery::add_open_words(int point, int tensor, int level, std::span<double> moved) const {
    charges_.add_words(tensor, level, lattice_.around(point) * tiles_.words(tensor, level, point),
                       tiles_.distinct(tensor, level, point), moved);
}

void PerfectDelivery::settle_open(Label& label, int point, int tensor) {
    const int from = label.open[tensor];
    label.energy += Range::exactly(open_pj(point, tensor, from));
    label.open[tensor] = kSettled;
    for (std::size_t half = 0; half < words_per_label(); half += word_count_) {
        const std::span<double> moved = std::span(own_words(label) + half, word_count_).subspan(1);
        for (int l = from; l >= stage_->stored[tensor]; --l)
            if (charges_.delivery(tensor, l).keeps) add_open_words(point, tensor, l, moved);
    }
}

// ---------------------------------------------------------------- loops

std::uint32_t PerfectDelivery::group(int level, std::uint32_t dimensions, std::uint32_t to_come) {
    loops_to_come_ = to_come;
    if (!stages_.are_even()) turn_ = next_turn_++;
    for (int d = 0; d < charges_.dimension_count(); ++d)
        if (charges_.rest()[d] == 1.0 || mapspace_.temporal_bounds(level, d).at_most == 1) dimensions &= ~(1U << d);
    return dimensions;
}

PerfectDelivery::Node PerfectDelivery::extend(Label& label, int point, const Extension<Node>& extension) {
    const auto [dimension, factor, whole, to] = extension;
    label.turn = static_cast<std::int8_t>(turn_);
    label.owns_words = false;
    for (int t = 0; t < charges_.tensor_count(); ++t)
        if (label.open[t] != kSettled && (setup_.tensors[t].relevant >> dimension & 1U) != 0)
            settle_open(label, point, t);
    if (label.sliding_count > 0) {
        move_again(label);
        for (SlidingDelivery& sliding : moved_) move(sliding, point, dimension, factor, to);
        keep_sliding(label, to, moved_);
    }
    return rest_is_free(to, label) ? lattice_.size() - 1 : to;
}

// Only loops of the outermost memory are left, in any order, at no cost.
bool PerfectDelivery::rest_is_free(int point, const Label& label) const {
    if (stage_->next.front().memory > 0 || label.sliding_count > 0) return false;
    for (int t = 0; t < charges_.tensor_count(); ++t)
        if (label.open[t] != kSettled) return false;
    for (int d = 0; d < charges_.dimension_count(); ++d) {
        if (is_bounded(0, d)) return false;
        const bool may_come = ((loops_to_come_ & ~label.loops.complete) >> d & 1U) != 0;
        if (!may_come && lattice_.loops(point)[d] < charges_.rest()[d]) return false;
    }
    return true;
}

// Room for the memory's unplaced tensors if stored here.
double PerfectDelivery::room_for(int point, int level) const {
    double room = 0.0;
    for (std::uint32_t left = charges_.assignment()[level].keep.bits(); left != 0; left &= left - 1) {
        const int t = std::countr_zero(left);
        if (stage_->stored[t] > level) room += setup_.levels[level].room(t, tiles_.words(t, level, point));
    }
    return room;
}

// Even mappings: a node has completions only if the next memory has room.
void PerfectDelivery::find_fitting(const Stage& stage) {
    if (stages_.are_even()) return;
    std::uint32_t filled = 0;
    for (const Placing& placing : stage.next) filled |= 1U << placing.memory;
    for (int point = 0; point < lattice_.size(); ++point) {
        const auto at = static_cast<std::size_t>(point);
        const int before = lattice_.before(point);
        fits_[at] = 0;
        if (before >= 0 && fits_[before] == 0) continue;  // then this one is too large too
        bool fits = true;
        for (std::uint32_t left = filled; left != 0 && fits; left &= left - 1) {
            const int level = std::countr_zero(left);
            fits = room_for(point, level) <= setup_.levels[level].capacity;
        }
        fits_[at] = fits ? 1 : 0;
    }
}

bool PerfectDelivery::fits(int point, const Label& label) const {
    if (stages_.are_even()) return completion_->pj(stage_number_, point) < std::numeric_limits<double>::infinity();
    if (fits_[point] == 0) return false;
    for (std::uint32_t left = stage_->begun; left != 0; left &= left - 1) {
        const int level = std::countr_zero(left);
        const double used = used_[label.used + level];
        if (used + room_for(point, level) > setup_.levels[level].capacity) return false;
    }
    return true;
}

// ---------------------------------------------------------------- from stage to stage

void PerfectDelivery::take(const Placing& placing, Frontier& outside) {
    stage_number_ = static_cast<std::size_t>(placing.to);
    stage_ = &stages_.all()[stage_number_];
    outside.buckets.resize(static_cast<std::size_t>(lattice_.size()));
}

// The outermost memory holds all tensors.
std::optional<PerfectDelivery::Node> PerfectDelivery::leads_to(const Placing& placing, int point, Frontier&) {
    if (placing.memory == 0 && point + 1 != lattice_.size()) return std::nullopt;
    if (!stages_.are_even() && fits_[point] == 0) return std::nullopt;
    if (!tiles_.allows(placing.memory, placing.tensors, point)) return std::nullopt;
    room_ = 0.0;
    for (std::uint32_t left = placing.tensors.bits(); left != 0; left &= left - 1) {
        const int t = std::countr_zero(left);
        room_ += setup_.levels[placing.memory].room(t, tiles_.words(t, placing.memory, point));
    }
    return point;
}

// Memories with complete loops have all required loops.
bool PerfectDelivery::may_pass(const Placing&, const Label& label) const {
    for (int level = from_->owner; level > stage_->owner; --level)
        for (int d = 0; d < charges_.dimension_count(); ++d) {
            const bool taken = level == from_->owner && (label.loops.taken >> d & 1U) != 0;
            if (!taken && mapspace_.temporal_bounds(level, d).at_least > 1) return false;
        }
    return true;
}

bool PerfectDelivery::pass(const Placing& placing, int point, int, Label& label) {
    label.level = static_cast<std::int8_t>(placing.memory);
    label.tensors = static_cast<std::uint8_t>(placing.tensors.bits());
    const bool same_memory = from_->owner == stage_->owner;
    label.loops = {.taken = same_memory ? label.loops.taken : 0};
    if (!same_memory) label.turn = 0;
    if (!take_room(placing, label)) return false;
    label.owns_words = false;
    move_again(label);
    open(point, label);
    for (int level = from_->crossed - 1; level >= stage_->crossed; --level) cross(level, point);
    keep_sliding(label, point, moved_);
    if (word_count_ > 0) fold(placing.memory, label);
    if (placing.memory == 0) finish(label);
    return true;
}

// False if the memory is too small, or its last tensor leaves too much of it empty.
bool PerfectDelivery::take_room(const Placing& placing, Label& label) {
    const lean::LevelForm& form = setup_.levels[placing.memory];
    const auto levels = static_cast<std::size_t>(charges_.level_count());
    const bool has_begun = label.used >= 0;
    double room = room_;
    if (has_begun) room += used_[label.used + placing.memory];
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

void PerfectDelivery::open(int point, Label& label) {
    for (int t = 0; t < charges_.tensor_count(); ++t) {
        for (int level = from_->stored[t] - 1; level >= stage_->stored[t]; --level) {
            if (level <= charges_.outermost(t) || !charges_.delivery(t, level).keeps) continue;
            if (setup_.tensors[t].plain) {
                if (label.open[t] == kSettled) label.open[t] = static_cast<std::int8_t>(level);
            } else {
                SlidingDelivery sliding;
                sliding.tensor = static_cast<std::int8_t>(t);
                sliding.level = static_cast<std::int8_t>(level);
                sliding.stored_at = point;
                moved_.push_back(sliding);
            }
        }
    }
}

void PerfectDelivery::finish(Label& label) {
    const int point = lattice_.size() - 1;
    for (int t = 0; t < charges_.tensor_count(); ++t)
        if (label.open[t] != kSettled) settle_open(label, point, t);
    move_again(label);
    for (SlidingDelivery& sliding : moved_) sliding.settled = true;
    keep_sliding(label, point, moved_);
    if (word_count_ > 0) fold(0, label);
}

}  // namespace tilewright::optimal
