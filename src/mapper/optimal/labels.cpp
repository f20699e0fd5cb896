#include "mapper/optimal/labels.hpp"
#include "mapper/optimal/bound.hpp"

#include <algorithm>
#include <bit>
#include <limits>

namespace tilewright::optimal {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

// Words of the tile that stay when it moves along `dimension` by `stride` iterations.
double kept_words(const lean::TensorForm& form, const Extents& tile, int dimension, double stride) {
    double kept = 1.0;
    int term = 0;
    for (const int end : form.rank_ends) {
        double width = 1.0;
        for (; term < end; ++term) {
            const lean::Term& t = form.terms[term];
            width += t.reach * (tile[t.dimension] - 1.0);
            if (t.dimension == dimension) width -= t.reach * stride;
        }
        kept *= std::max(0.0, width);
    }
    return kept;
}

// All dimensions that move the ranks which `dimension` moves.
std::uint32_t rank_of(const lean::TensorForm& form, int dimension) {
    std::uint32_t along = 0;
    int term = 0;
    for (const int end : form.rank_ends) {
        std::uint32_t rank = 0;
        for (; term < end; ++term) rank |= 1U << form.terms[term].dimension;
        if ((rank >> dimension & 1U) != 0) along |= rank;
    }
    return along;
}

// Once a dimension of another rank has moved the tile, no later advance can be a slide or stand still: it would have to
// undo that move. Only where all coefficients are positive and every dimension moves one rank.
bool settles_early(const lean::TensorForm& form) {
    if (form.tangled) return false;
    return std::all_of(form.terms.begin(), form.terms.end(),
                       [&form](const lean::Term& term) { return form.key[term.dimension] > 0.0; });
}

}  // namespace

Labels::Labels(const Mapspace& mapspace, const Charges& charges, const Lattice& lattice, const Stages& stages,
               bool timed, std::function<bool()> stop)
    : mapspace_(mapspace),
      charges_(charges),
      setup_(charges.setup()),
      lattice_(lattice),
      stages_(stages),
      stop_(std::move(stop)),
      word_count_(timed ? 2 * charges.level_count() + 1 : 0),
      waiting_(stages.all().size()),
      fits_(static_cast<std::size_t>(lattice.size())),
      delivery_costs_(static_cast<std::size_t>(lattice.size() * charges.tensor_count() * (charges.level_count() + 1)),
                      -1.0),
      least_costs_(delivery_costs_.size(), -1.0) {
    for (int t = 0; t < charges.tensor_count(); ++t) {
        settles_early_[t] = tilewright::optimal::settles_early(setup_.tensors[t]);
        for (int l = 0; l <= charges.level_count(); ++l) distinct_[t][l] = charges.distinct(t, l, lattice.loops(0));
    }
    for (int l = 0; l < charges.level_count(); ++l)
        for (int d = 0; d < charges.dimension_count(); ++d) {
            const FactorBounds& bounds = mapspace.temporal_bounds(l, d);
            if (bounds.at_least > 1 || static_cast<double>(bounds.at_most) < charges.rest()[d]) bounded_[l] |= 1U << d;
        }
}

Extents Labels::tile(int level, int point) const {
    Extents tile = charges_.inner(level);
    const Extents& loops = lattice_.loops(point);
    for (int d = 0; d < charges_.dimension_count(); ++d) tile[d] *= loops[d];
    return tile;
}

double Labels::words(int tensor, int level, int point) const {
    return lean::words_in(setup_.tensors[tensor], tile(level, point));
}

std::vector<Nesting> Labels::run(const Hopeless& hopeless, const std::vector<double>& to_come_pj) {
    hopeless_ = &hopeless;
    start();
    const std::vector<Stage>& stages = stages_.all();
    for (std::size_t i = 0; i + 1 < stages.size() && !stopped_; ++i) {
        if (waiting_[i].empty()) continue;  // nothing came so far
        places_ = std::move(waiting_[i]);
        stage_ = &stages[i];
        to_come_pj_ = to_come_pj[i];
        find_fitting(stages[i]);
        loops_at(stages[i]);
        for (const Placing& placing : stages[i].next) {
            const auto to = static_cast<std::size_t>(placing.to);
            stage_ = &stages[to];
            to_come_pj_ = to_come_pj[to];
            store(stages[i], placing);
        }
    }
    return stopped_ ? std::vector<Nesting>() : nestings();
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
        } else if (word_count_ > 0) {
            charges_.add_words(t, units, charges_.steps(), charges_.distinct(t, units, lattice_.loops(0)), 1.0,
                               std::span(own_words(label), word_count_).subspan(1));
        }
    }
    stage_ = &stages_.all().front();
    for (int level = units - 1; level >= stage_->crossed; --level) cross(level, 0);
    keep_windows(label, 0, moved_);
    waiting_.front().resize(static_cast<std::size_t>(lattice_.size()));
    put(waiting_.front(), 0, label);
}

// ---------------------------------------------------------------- deliveries that are open

double Labels::delivery_pj(int point, int tensor, int level) {
    const int row = point * charges_.tensor_count() + tensor;
    double& known = delivery_costs_[static_cast<std::size_t>(row * (charges_.level_count() + 1) + level)];
    if (known < 0.0)
        known = charges_.energy_pj(tensor, level, lattice_.around(point) * words(tensor, level, point),
                                   charges_.distinct(tensor, level, lattice_.loops(point)));
    return known;
}

// Of the memories from `from` outwards that have been placed, all with the same innermost moving loop: the next one.
double Labels::open_pj(int point, int tensor, int from) {
    double pj = 0.0;
    for (int l = from; l >= stage_->stored[tensor]; --l)
        if (charges_.delivery(tensor, l).tracked) pj += delivery_pj(point, tensor, l);
    return pj;
}

void Labels::add_open_words(int point, int tensor, int level, std::span<double> moved) const {
    charges_.add_words(tensor, level, lattice_.around(point) * words(tensor, level, point),
                       charges_.distinct(tensor, level, lattice_.loops(point)), 1.0, moved);
}

void Labels::settle_open(Label& label, int point, int tensor) {
    const int from = label.open[tensor];
    label.energy_pj += open_pj(point, tensor, from);
    label.open[tensor] = kSettled;
    if (word_count_ == 0) return;
    const std::span<double> moved = std::span(own_words(label), word_count_).subspan(1);
    for (int l = from; l >= stage_->stored[tensor]; --l)
        if (charges_.delivery(tensor, l).tracked) add_open_words(point, tensor, l, moved);
}

bool Labels::is_crossed(const Window& window) const {
    const Delivery& delivery = charges_.delivery(window.tensor, window.level);
    return !delivery.dynamic || stage_->crossed <= delivery.parent;
}

double Labels::sent(const Window& window, int point) const {
    return window.moved ? window.sent : lattice_.around(point) * words(window.tensor, window.level, point);
}

// Of a window under way: every advance along its rank that is left may be a slide, or stand still where two dimensions
// move it.
double Labels::least_sent(const Window& window, int point) const {
    if (window.settled) return window.sent;
    if (!settles_early_[window.tensor]) return window.tile;
    double advances = 1.0;
    int dimensions = 0;
    for (std::uint32_t left = window.along; left != 0; left &= left - 1) {
        const int d = std::countr_zero(left);
        advances *= charges_.rest()[d] / lattice_.loops(point)[d];
        ++dimensions;
    }
    const double saved = dimensions > 1 ? window.tile : window.kept;
    return std::max(window.tile, window.sent - saved * lattice_.around(point) * (1.0 - 1.0 / advances));
}

void Labels::price(Window& window, int point) {
    if (!is_crossed(window)) {
        window.pj = kInfinite;
        window.least_pj = 0.0;
        return;
    }
    const auto cost = [&](double words) {
        return charges_.energy_pj(window.tensor, window.level, words, distinct(window), window.groups, window.hop_pj);
    };
    window.pj = cost(sent(window, point));
    window.least_pj = window.moved ? cost(least_sent(window, point)) : least_pj(point, window.tensor, window.level);
}

// The next loop outwards, `factor` times along `dimension`. Rules: docs/model.md, "Perfect nests".
void Labels::move(Window& window, int level, int point, int dimension, double factor, int to) const {
    if (window.settled) return;
    const lean::TensorForm& form = setup_.tensors[window.tensor];
    const double stride = lattice_.loops(point)[dimension] * charges_.inner(level)[dimension];
    const double shift = form.key[dimension] * stride;
    const double advances = (factor - 1.0) * lattice_.around(to);
    if (!window.moved) {
        if (shift == 0.0) return;
        const Extents held = tile(window.level, point);
        window.moved = true;
        window.tile = lean::words_in(form, held);
        window.kept = kept_words(form, held, dimension, stride);
        window.slide = shift;
        window.along = rank_of(form, dimension);
        window.sent = lattice_.around(point) * window.tile - advances * window.kept;
        window.settled = settles_early_[window.tensor] && std::popcount(window.along) == 1;
    } else {
        const double by = shift - window.reset;
        if (by == window.slide) window.sent -= advances * window.kept;
        if (by == 0.0) window.sent -= advances * window.tile;
        window.settled = shift != 0.0 && settles_early_[window.tensor] && (window.along >> dimension & 1U) == 0;
    }
    window.reset += (factor - 1.0) * shift;
}

void Labels::settle(Label& label, const Window& window, int point) {
    const double words = sent(window, point);
    label.energy_pj +=
        charges_.energy_pj(window.tensor, window.level, words, distinct(window), window.groups, window.hop_pj);
    if (word_count_ > 0)
        charges_.add_words(window.tensor, window.level, words, distinct(window), window.groups,
                           std::span(own_words(label), word_count_).subspan(1));
}

// Charges the windows that are settled and keeps the others.
void Labels::keep_windows(Label& label, int point, std::vector<Window>& windows) {
    label.windows = static_cast<std::int32_t>(windows_.size());
    label.window_count = 0;
    for (Window& window : windows) {
        if (window.settled && is_crossed(window)) {
            settle(label, window, point);
        } else {
            price(window, point);
            windows_.push_back(window);
            ++label.window_count;
        }
    }
}

// ---------------------------------------------------------------- from block to block

// Takes a fan-out inside the windows at hand.
void Labels::cross(int level, int point) {
    const Extents inside = tile(level + 1, point);
    for (Window& window : moved_) {
        if (!charges_.is_dynamic(window.tensor, level) || window.level <= level) continue;
        const Delivery& delivery = charges_.delivery(window.tensor, window.level);
        if (window.level == level + 1) window.hop_pj = charges_.hop_pj(window.tensor, level, inside);
        if (delivery.keeps && delivery.parent <= level) window.groups *= charges_.groups(window.tensor, level, inside);
    }
}

void Labels::loops_at(const Stage& stage) {
    const int level = stage.owner;
    const PerfectLevel& order = charges_.assignment()[level];
    const int first = mapspace_.first_movable(level);
    const int free = static_cast<int>(mapspace_.movable(level).size());
    loops_to_come_ = (1U << charges_.dimension_count()) - 1U;
    int turn = 0;
    const auto place = [&](std::uint32_t dimensions) {
        loops_at(level, dimensions, turn++);
        loops_to_come_ &= ~dimensions;
    };
    for (int k = 0; k < first; ++k) place(1U << order.order[k]);
    std::uint32_t movable = 0;
    for (const std::uint8_t d : mapspace_.movable(level)) movable |= 1U << d;
    place(movable);
    for (int k = first + free; k < charges_.dimension_count(); ++k) place(1U << order.order[k]);
}

void Labels::loops_at(int level, std::uint32_t dimensions, int turn) {
    for (int d = 0; d < charges_.dimension_count(); ++d)
        if (charges_.rest()[d] == 1.0 || mapspace_.temporal_bounds(level, d).at_most == 1) dimensions &= ~(1U << d);
    if (dimensions == 0) return;
    constexpr int kPollEvery = 64;
    for (int point = 0; point < lattice_.size() && !stopped_; ++point) {
        if (point % kPollEvery == 0 && stop_) stopped_ = stop_();
        // Steps only lead to later points: this place does not change under us.
        for (const Entry& entry : places_[static_cast<std::size_t>(point)]) {
            if (labels_[static_cast<std::size_t>(entry.label)].turn > turn) continue;
            if (!stages_.are_even()) turn_ = turn;
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
        if (!is_bounded(level, d) || (labels_[static_cast<std::size_t>(from)].taken >> d & 1U) != 0) continue;
        const FactorBounds& bounds = mapspace_.temporal_bounds(level, d);
        const auto most = std::min(bounds.at_most, static_cast<std::int64_t>(charges_.rest()[d]));
        for (std::int64_t factor = std::max<std::int64_t>(2, bounds.at_least); factor <= most; ++factor)
            if (const int to = lattice_.after(point, d, factor); to >= 0) step(level, point, from, d, factor, to);
    }
}

bool Labels::slides_along(const Label& label, int dimension) const {
    const auto mine = std::span(windows_).subspan(label.windows, label.window_count);
    return std::any_of(mine.begin(), mine.end(), [dimension](const Window& window) {
        return is_under_way(window) && (window.along >> dimension & 1U) != 0;
    });
}

// A dimension along which a window slides has one loop in a block. For others a second one is never better than one
// that is all inside: it may be left to the search.
void Labels::note_loop(Label& label, int dimension) const {
    const std::uint32_t now = 1U << dimension;
    if (label.last != now) label.placed |= label.last;
    label.last = slides_along(label, dimension) ? now : 0;
}

void Labels::step(int level, int point, std::int32_t from, int dimension, std::int64_t factor, int to) {
    Label label = labels_[static_cast<std::size_t>(from)];
    if ((label.placed >> dimension & 1U) != 0 || !fits(to, label)) return;
    label.parent = from;
    label.turn = static_cast<std::int8_t>(turn_);
    label.level = static_cast<std::int8_t>(level);
    label.dimension = static_cast<std::int8_t>(dimension);
    label.factor = static_cast<std::int32_t>(factor);
    if (is_bounded(level, dimension)) label.taken |= 1U << dimension;
    label.owns_words = false;
    for (int t = 0; t < charges_.tensor_count(); ++t)
        if (label.open[t] != kSettled && (setup_.tensors[t].relevant >> dimension & 1U) != 0)
            settle_open(label, point, t);
    if (label.window_count > 0) {
        moved_.assign(windows_.begin() + label.windows, windows_.begin() + label.windows + label.window_count);
        for (Window& window : moved_) move(window, level, point, dimension, static_cast<double>(factor), to);
        keep_windows(label, to, moved_);
    }
    note_loop(label, dimension);
    put(places_, rest_is_free(to, label) ? lattice_.size() - 1 : to, label);
}

// All that is left are loops of the outermost memory, in any order, and they change nothing.
bool Labels::rest_is_free(int point, const Label& label) const {
    if (stage_->next.front().memory > 0 || label.window_count > 0) return false;
    for (int t = 0; t < charges_.tensor_count(); ++t)
        if (label.open[t] != kSettled) return false;
    for (int d = 0; d < charges_.dimension_count(); ++d) {
        if (is_bounded(0, d)) return false;
        const bool may_come = ((loops_to_come_ & ~label.placed) >> d & 1U) != 0;
        if (!may_come && lattice_.loops(point)[d] < charges_.rest()[d]) return false;
    }
    return true;
}

// Words of the tensors that the memory has yet to store, if it did so here.
double Labels::room_for(int point, int level) const {
    double words = 0.0;
    for (std::uint32_t left = charges_.assignment()[level].keep.bits(); left != 0; left &= left - 1) {
        const int t = std::countr_zero(left);
        if (stage_->stored[t] > level) words += this->words(t, level, point);
    }
    return words;
}

void Labels::find_fitting(const Stage& stage) {
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
            fits = room_for(point, level) <= setup_.levels[level].usable_words;
        }
        fits_[at] = fits ? 1 : 0;
    }
}

bool Labels::fits(int point, const Label& label) const {
    if (fits_[static_cast<std::size_t>(point)] == 0) return false;
    for (std::uint32_t left = stage_->begun; left != 0; left &= left - 1) {
        const int level = std::countr_zero(left);
        const double used = used_[static_cast<std::size_t>(label.used + level)];
        if (used + room_for(point, level) > setup_.levels[level].usable_words) return false;
    }
    return true;
}

// ---------------------------------------------------------------- from stage to stage

// The memories to which no more loops belong have all those they need.
bool Labels::closes_block(const Stage& from, const Stage& to, const Label& label) const {
    for (int level = from.owner; level > to.owner; --level)
        for (int d = 0; d < charges_.dimension_count(); ++d) {
            const bool taken = level == from.owner && (label.taken >> d & 1U) != 0;
            if (!taken && mapspace_.temporal_bounds(level, d).at_least > 1) return false;
        }
    return true;
}

// False when the memory is too small, or the last of its tensors leaves too much of it empty.
bool Labels::take_room(const Placing& placing, double words, Label& label) {
    const lean::LevelForm& form = setup_.levels[placing.memory];
    const auto levels = static_cast<std::size_t>(charges_.level_count());
    const bool has_begun = label.used >= 0;
    if (has_begun) words += used_[static_cast<std::size_t>(label.used + placing.memory)];
    if (words > form.usable_words || (placing.completes && words < form.least_words)) return false;
    if (stage_->begun == 0) {
        label.used = -1;
        return true;
    }
    const std::size_t begin = used_.size();
    used_.resize(begin + levels, 0.0);
    if (has_begun) std::copy_n(used_.begin() + label.used, levels, used_.begin() + static_cast<std::ptrdiff_t>(begin));
    label.used = static_cast<std::int32_t>(begin);
    used_[begin + static_cast<std::size_t>(placing.memory)] = placing.completes ? 0.0 : words;
    return true;
}

// The deliveries to memories that have just been placed.
void Labels::open(const Stage& from, Label& label) {
    for (int t = 0; t < charges_.tensor_count(); ++t) {
        for (int level = from.stored[t] - 1; level >= stage_->stored[t]; --level) {
            if (level <= charges_.outermost(t) || !charges_.delivery(t, level).tracked) continue;
            if (setup_.tensors[t].plain) {
                if (label.open[t] == kSettled) label.open[t] = static_cast<std::int8_t>(level);
            } else {
                Window window;
                window.tensor = static_cast<std::int8_t>(t);
                window.level = static_cast<std::int8_t>(level);
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
    label.placed = label.last = 0;
    if (from.owner != stage_->owner) {
        label.taken = 0;
        label.turn = 0;
    }
    label.owns_words = false;
    moved_.assign(windows_.begin() + label.windows, windows_.begin() + label.windows + label.window_count);
    open(from, label);
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
        if (place.empty() || fits_[static_cast<std::size_t>(point)] == 0) continue;
        double words = 0.0;
        for (std::uint32_t left = placing.tensors.bits(); left != 0; left &= left - 1)
            words += this->words(std::countr_zero(left), placing.memory, point);
        for (const Entry& entry : place) {
            if (!closes_block(from, *stage_, labels_[static_cast<std::size_t>(entry.label)])) continue;
            Label label = stored(from, placing, point, entry.label);
            if (!take_room(placing, words, label)) {
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

// ---------------------------------------------------------------- which labels live

// What is open in only one of two labels: what `a` has to pay for it at most (never more than if it were settled now),
// and `b` at least.
void Labels::compare_pending(int point, const Label& a, const Label& b) {
    pending_pj_ = theirs_pj_ = 0.0;
    pending_words_.assign(static_cast<std::size_t>(word_count_), 0.0);
    compare_open(point, a, b);
    const auto ours = std::span(windows_).subspan(a.windows, a.window_count);
    const auto theirs = std::span(windows_).subspan(b.windows, b.window_count);
    std::uint32_t matched = 0;
    for (const Window& window : ours) {
        const auto covers = [&window](const Window& other) {
            return window.sent <= other.sent && window.moves_like(other);
        };
        const auto match = std::find_if(theirs.begin(), theirs.end(), covers);
        if (match != theirs.end()) {
            matched |= 1U << (match - theirs.begin());
            continue;
        }
        pending_pj_ += window.pj;
        if (word_count_ > 0 && window.pj < kInfinite)
            charges_.add_words(window.tensor, window.level, sent(window, point), distinct(window), window.groups,
                               std::span(pending_words_).subspan(1));
    }
    for (std::size_t i = 0; i < theirs.size(); ++i)
        if ((matched >> i & 1U) == 0) theirs_pj_ += theirs[i].least_pj;
}

void Labels::compare_open(int point, const Label& a, const Label& b) {
    for (int t = 0; t < charges_.tensor_count(); ++t) {
        const bool more = a.open[t] > b.open[t];
        for (int l = b.open[t]; l >= stage_->stored[t] && (more || l > a.open[t]); --l)
            if (charges_.delivery(t, l).tracked) theirs_pj_ += least_pj(point, t, l);
        if (!more) continue;
        pending_pj_ += open_pj(point, t, a.open[t]);
        for (int l = a.open[t]; word_count_ > 0 && l >= stage_->stored[t]; --l)
            if (charges_.delivery(t, l).tracked) add_open_words(point, t, l, std::span(pending_words_).subspan(1));
    }
}

// Every loop and store that may follow b may follow a.
bool Labels::may_replace(const Label& a, const Label& b) const {
    if (a.taken != b.taken || a.turn > b.turn) return false;
    if ((a.placed & ~b.placed) != 0 || (a.last & ~(b.placed | b.last)) != 0) return false;
    for (std::uint32_t left = stage_->begun; left != 0; left &= left - 1) {
        const int level = std::countr_zero(left);
        const double mine = used_[static_cast<std::size_t>(a.used + level)];
        const double theirs = used_[static_cast<std::size_t>(b.used + level)];
        if (mine > theirs || (mine < theirs && setup_.levels[level].least_words > 0.0)) return false;
    }
    return true;
}

bool Labels::dominates(int point, const Label& a, const Label& b) {
    if (!may_replace(a, b)) return false;
    compare_pending(point, a, b);
    if (a.energy_pj + pending_pj_ > b.energy_pj + theirs_pj_) return false;
    if (word_count_ == 0) return true;
    const double* const mine = words_.data() + a.words;
    const double* const theirs = words_.data() + b.words;
    for (int i = 0; i < word_count_; ++i)
        if (mine[i] + pending_words_[static_cast<std::size_t>(i)] > theirs[i]) return false;
    return true;
}

double Labels::least_pj(int point, int tensor, int level) {
    const int row = point * charges_.tensor_count() + tensor;
    double& known = least_costs_[static_cast<std::size_t>(row * (charges_.level_count() + 1) + level)];
    if (known < 0.0) known = least_delivery_pj(charges_, tensor, level, lattice_.loops(point));
    return known;
}

// What is open costs at least so much, whatever follows.
double Labels::least_pj(int point, const Label& label) {
    double least = 0.0;
    for (int t = 0; t < charges_.tensor_count(); ++t)
        for (int l = label.open[t]; l >= stage_->stored[t]; --l)
            if (charges_.delivery(t, l).tracked) least += least_pj(point, t, l);
    for (const Window& window : std::span(windows_).subspan(label.windows, label.window_count))
        least += window.least_pj;
    return least;
}

// Its windows were the last ones made.
void Labels::drop(const Label& label) {
    if (label.windows + label.window_count == static_cast<std::int32_t>(windows_.size()))
        windows_.resize(static_cast<std::size_t>(label.windows));
}

void Labels::put(std::vector<Place>& places, int point, const Label& label) {
    const double least = label.energy_pj + least_pj(point, label);
    if ((*hopeless_)(least + to_come_pj_, cycles_of(label))) {
        drop(label);
        return;
    }
    Place& place = places[static_cast<std::size_t>(point)];
    const auto dearer = std::upper_bound(place.begin(), place.end(), least,
                                         [](double cost, const Entry& entry) { return cost < entry.least_pj; });
    const auto is_better = [&](const Entry& other) {
        return dominates(point, labels_[static_cast<std::size_t>(other.label)], label);
    };
    if (std::any_of(place.begin(), dearer, is_better)) {
        drop(label);
        return;
    }
    const auto is_worse = [&](const Entry& other) {
        return dominates(point, label, labels_[static_cast<std::size_t>(other.label)]);
    };
    const auto dead = std::remove_if(dearer, place.end(), is_worse);
    const auto at = place.erase(dead, place.end()) - (dead - dearer);
    place.insert(at, {least, static_cast<std::int32_t>(labels_.size())});
    labels_.push_back(label);
}

double* Labels::own_words(Label& label) {
    if (label.owns_words) return words_.data() + label.words;
    const auto begin = static_cast<std::int32_t>(words_.size());
    words_.resize(words_.size() + static_cast<std::size_t>(word_count_), 0.0);
    if (label.parent >= 0) std::copy_n(words_.begin() + label.words, word_count_, words_.begin() + begin);
    label.words = begin;
    label.owns_words = true;
    return words_.data() + begin;
}

// Memories whose words are all known only matter by the cycles that the slowest of them takes.
void Labels::fold(int level, Label& label) {
    double* const moved = own_words(label);
    std::uint32_t pending = 0;
    const auto mark = [&](int tensor, int at) {
        pending |= 1U << at;
        if (charges_.delivery(tensor, at).keeps) pending |= 1U << charges_.delivery(tensor, at).parent;
    };
    for (int t = 0; t < charges_.tensor_count(); ++t)
        for (int l = label.open[t]; l >= stage_->stored[t]; --l) mark(t, l);
    for (const Window& window : std::span(windows_).subspan(label.windows, label.window_count))
        mark(window.tensor, window.level);
    for (int l = 0; l < charges_.level_count(); ++l) {
        if (((pending | ~stage_->whole) >> l & 1U) != 0 || (l == level && level > 0)) continue;
        moved[0] = std::max(moved[0], charges_.cycles_for(l, moved[1 + 2 * l], moved[2 + 2 * l]));
        moved[1 + 2 * l] = moved[2 + 2 * l] = 0.0;
    }
}

double Labels::cycles_of(const Label& label) const {
    double cycles = charges_.steps();
    if (word_count_ == 0) return cycles;
    const double* const moved = words_.data() + label.words;
    cycles = std::max(cycles, moved[0]);
    for (int l = 0; l < charges_.level_count(); ++l)
        cycles = std::max(cycles, charges_.cycles_for(l, moved[1 + 2 * l], moved[2 + 2 * l]));
    return cycles;
}

// ---------------------------------------------------------------- the nests they stand for

std::vector<Nesting> Labels::nestings() const {
    std::vector<Nesting> all;
    if (waiting_.back().empty()) return all;
    for (const Entry& entry : waiting_.back().back())
        all.push_back(nesting(labels_[static_cast<std::size_t>(entry.label)]));
    return all;
}

// One more loop of `dimension`, outside the `placed` ones that may move; or its first loop grows.
void Labels::add_loop(PerfectLevel& level, int index, int dimension, std::int32_t factor, int& placed) const {
    const auto first = level.order.begin() + mapspace_.first_movable(index);
    const auto last = first + static_cast<std::ptrdiff_t>(mapspace_.movable(index).size());
    const auto at = std::find(first, last, dimension);
    if (level.temporal[dimension] == 1 && at != last) std::rotate(first + placed++, at, at + 1);
    level.temporal[dimension] *= factor;
}

// The loops and stores, innermost first.
std::vector<const Labels::Label*> Labels::history(const Label& label) const {
    std::vector<const Label*> steps;
    for (const Label* at = &label; at->parent >= 0; at = &labels_[static_cast<std::size_t>(at->parent)])
        steps.push_back(at);
    std::reverse(steps.begin(), steps.end());
    return steps;
}

PerfectPoint Labels::even_point(const Label& label) const {
    PerfectPoint point = charges_.assignment();
    for (int l = 0; l < charges_.level_count(); ++l) point[l].temporal.fill(1);
    std::array<int, kMaxMemories> placed{};
    Extents left = charges_.rest();
    for (const Label* step : history(label)) {
        if (step->factor == 1) continue;
        add_loop(point[step->level], step->level, step->dimension, step->factor, placed[step->level]);
        left[step->dimension] /= step->factor;
    }
    for (int d = 0; d < charges_.dimension_count(); ++d)
        if (left[d] > 1.0) add_loop(point[0], 0, d, static_cast<std::int32_t>(left[d]), placed[0]);
    return point;
}

Nesting Labels::nesting(const Label& label) const {
    if (stages_.are_even()) return {even_point(label), std::nullopt, label.energy_pj, cycles_of(label)};
    return {charges_.assignment(), uneven_mapping(label), label.energy_pj, cycles_of(label)};
}

namespace {

/// Builds the nodes of a mapping from the inside.
class NodeList {
   public:
    void store(int memory, TensorSet tensors) {
        Store* const last = nodes_.empty() ? nullptr : std::get_if<Store>(&nodes_.back());
        if (last != nullptr && last->memory == memory) {
            last->tensors = TensorSet::from_bits(last->tensors.bits() | tensors.bits());
        } else {
            nodes_.emplace_back(Store{memory, tensors});
        }
        block_ = nodes_.size();
    }

    /// A second loop of a dimension between two stores grows the first one.
    void loop(int dimension, std::int64_t extent, LoopKind kind) {
        for (std::size_t i = block_; i < nodes_.size(); ++i) {
            Loop& other = std::get<Loop>(nodes_[i]);
            if (other.dimension != dimension || other.kind != kind) continue;
            other.extent *= extent;
            other.remainder = other.extent;
            return;
        }
        nodes_.emplace_back(Loop{dimension, extent, extent, kind});
    }

    Mapping take() {
        std::reverse(nodes_.begin(), nodes_.end());
        return {std::move(nodes_), {}};
    }

   private:
    std::vector<Node> nodes_;
    std::size_t block_ = 0;  ///< first node after the last store
};

void add_fanout(const PerfectPoint& assignment, int level, NodeList& nodes) {
    const PerfectLevel& at = assignment[level];
    for (int k = 0; k < assignment.dimension_count(); ++k) {
        const int d = at.spatial_order[k];
        if (at.spatial[d] > 1)
            nodes.loop(d, at.spatial[d], at.runs_on_y(d) ? LoopKind::spatial_y : LoopKind::spatial_x);
    }
}

}  // namespace

// Follows the stages again: they know where fan-outs are crossed.
Mapping Labels::uneven_mapping(const Label& label) const {
    NodeList nodes;
    Extents left = charges_.rest();
    const std::vector<Stage>& stages = stages_.all();
    const Stage* stage = &stages.front();
    int crossed = charges_.level_count();
    const auto cross = [&] {
        while (crossed > stage->crossed) add_fanout(charges_.assignment(), --crossed, nodes);
    };
    cross();
    for (const Label* step : history(label)) {
        if (step->factor > 1) {
            nodes.loop(step->dimension, step->factor, LoopKind::temporal);
            left[step->dimension] /= step->factor;
            continue;
        }
        const auto made = [&](const Placing& p) {
            return p.memory == step->level && p.tensors.bits() == step->tensors;
        };
        const auto placing = std::find_if(stage->next.begin(), stage->next.end(), made);
        if (step->level == 0)
            for (int d = 0; d < charges_.dimension_count(); ++d)
                if (left[d] > 1.0) nodes.loop(d, static_cast<std::int64_t>(left[d]), LoopKind::temporal);
        nodes.store(step->level, placing->tensors);
        stage = &stages[static_cast<std::size_t>(placing->to)];
        cross();
    }
    return nodes.take();
}

}  // namespace tilewright::optimal
