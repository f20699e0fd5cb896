// Which labels live, where what they cost is only known as a range.
#include <algorithm>
#include <bit>
#include <cmath>

#include "mapper/optimal/ragged_labels.hpp"
#include "mapper/optimal/window_rules.hpp"

namespace tilewright::optimal {

// Of a window that is under way: each tile further out keeps at most so much. Along its rank it slides on by a whole
// tile, where only one dimension moves it; another rank brings it back to where it started, or an instance that has
// moved less than others.
double RaggedLabels::still_to_save(const Pending& window, const Position& at) const {
    if (window.settled) return 0.0;
    if (!settles_early(setup_.tensors[window.tensor])) return window.tile;
    double advances = 1.0;
    double along = 0.0;
    for (std::uint32_t left = window.along; left != 0; left &= left - 1) {
        const int d = std::countr_zero(left);
        advances *= at.chunks[d];
        if (at.chunks[d] > 1.0)
            along = std::max(along, d == window.dimension && !window.mixed ? window.kept : window.tile);
    }
    const bool alike = window.is_steady() && charges_.most_instances(window.level) == 1.0;
    if (alike) return along * (1.0 - 1.0 / advances);
    const double back = window.tile * std::max(0.0, 1.0 - window.back.lo / window.width);
    const double save = std::max(along, back);
    return save + window.jumps * (window.tile - save);
}

double RaggedLabels::least_of(const Label& label, const Pending& window, const Position& at) const {
    Flow flow = window.flow;
    if (!window.settled) {
        const double share = still_to_save(window, at);
        flow.delivered.lo -= share * actives(window.tensor, window.level, false, at, ~0U);
        flow.words.lo -= share * actives(window.tensor, window.level, true, at, ~0U);
        flow.wire_pj.lo -= share * wire_pj(label, window.tensor, window.level, at, false);
        flow.wire_pj.lo = std::max(0.0, flow.wire_pj.lo);
    }
    const double least = charges_.least_pj(window.tensor, window.level);
    if (!charges_.keeps(window.tensor, window.level) || !(flow.delivered.lo > 0.0))
        return std::max(least, charged_wires(label, window.tensor, window.level, flow.wire_pj).lo);
    flow.words.lo = std::max(0.0, flow.words.lo);
    flow.delivered.hi = flow.words.hi = INFINITY;
    Walk walk;
    Account account;
    pass(window.tensor, window.level, flow, window.distinct, label, at, walk, account);
    return std::max(least, account.energy.lo);
}

// What is open of one tensor at boundaries inside memory `outside`, whatever loops follow.
double RaggedLabels::least_pending(const Label& label, int tensor, int outside, const Position& at) const {
    double least = 0.0;
    for (int b = label.open[tensor]; b > outside; --b)
        if (charges_.is_boundary(tensor, b)) least += charges_.least_pj(tensor, b);
    for (int i = 0; i < label.pending_count; ++i) {
        const Pending& item = pending_[static_cast<std::size_t>(label.pending + i)];
        if (item.tensor == tensor && !item.is_chain) least += least_of(label, item, at);
    }
    return least;
}

double RaggedLabels::least_pending(const Label& label, const Place& place) const {
    const Position at = position(place, label);
    double least = 0.0;
    for (int t = 0; t < charges_.tensor_count(); ++t) least += least_pending(label, t, stored_ - 1, at);
    return least;
}

// Every loop that may follow b in this block may follow a, and as many instances work.
bool RaggedLabels::may_replace(const Label& a, const Label& b) const {
    if (a.taken != b.taken || (a.placed & ~b.placed) != 0 || (a.last & ~(b.placed | b.last)) != 0) return false;
    if (!setup_.leaks) return true;
    for (int d = 0; d < charges_.dimension_count(); ++d)
        if (charges_.spreads_twice(d) && a.since[d] < b.since[d]) return false;
    return true;
}

// Nothing has moved the tensor outside `boundary` in either label: whatever follows, a is sent no more than b.
bool RaggedLabels::meets_alike(const Label& a, const Label& b, int boundary, bool equal) const {
    for (int l = crossed_; l < boundary; ++l)
        if (charges_.may_close_up(l) && (a.ragged[l] != b.ragged[l] || a.closing[l] != b.closing[l])) return false;
    for (int d = 0; d < charges_.dimension_count(); ++d) {
        const int ours = std::min<int>(a.since[d], boundary);
        const int theirs = std::min<int>(b.since[d], boundary);
        if (ours == theirs) continue;
        bool spreads = false;
        bool closes = false;
        for (int l = 0; l < boundary; ++l) {
            if (charges_.spread(l, d) == 1.0) continue;
            spreads = true;
            closes = closes || charges_.may_close_up(l);
        }
        if (spreads && (equal || closes || charges_.spreads_twice(d) || ours < theirs)) return false;
    }
    return true;
}

// What is under way of the tensor costs a no more than b, whatever follows.
bool RaggedLabels::covers(const Label& a, const Label& b, int tensor) const {
    int theirs = b.pending;
    const int end = b.pending + b.pending_count;
    const auto next = [&] {
        while (theirs < end && pending_[static_cast<std::size_t>(theirs)].tensor != tensor) ++theirs;
        return theirs < end;
    };
    for (int i = 0; i < a.pending_count; ++i) {
        const Pending& mine = pending_[static_cast<std::size_t>(a.pending + i)];
        if (mine.tensor != tensor) continue;
        if (!next()) return false;
        const Pending& other = pending_[static_cast<std::size_t>(theirs++)];
        if (!mine.moves_like(other) || upper(mine.flow.words) > other.flow.words.lo ||
            upper(mine.flow.delivered) > other.flow.delivered.lo || upper(mine.flow.wire_pj) > other.flow.wire_pj.lo)
            return false;
        if (!mine.is_chain && !meets_alike(a, b, mine.level, true)) return false;
    }
    return !next();
}

// Stores and fan-outs have changed: what was found out of labels before does not hold.
void RaggedLabels::forget() {
    remembered_from_ = labels_.size();
    memos_.clear();
    dues_.clear();
}

// Of the next label, which may have been another one.
void RaggedLabels::forget(std::int32_t label) {
    memos_.resize(static_cast<std::size_t>(label) - remembered_from_ + 1);
    Memo& old = memo(label);
    old.outside.fill(kUnknown);
    for (const std::int32_t due : old.due)
        if (due >= 0) dues_[static_cast<std::size_t>(due)].common = kUnknown;
}

const RaggedLabels::Due& RaggedLabels::due(const Position& at, std::int32_t label, int tensor, int common) {
    std::int32_t& index = memo(label).due[tensor];
    if (index < 0) {
        index = static_cast<std::int32_t>(dues_.size());
        dues_.emplace_back();
    }
    Due& due = dues_[static_cast<std::size_t>(index)];
    if (due.common == common) return due;
    const Label& a = labels_[static_cast<std::size_t>(label)];
    Position mine = at;
    mine.since = a.since;
    due.common = common;
    due.walk = {};
    due.account.energy = {};
    due.account.words.assign(a.words < 0 ? 0U : static_cast<std::size_t>(2 * charges_.level_count() + 1), Range{});
    for (int i = 0; i < a.pending_count; ++i) {
        const Pending& item = pending_[static_cast<std::size_t>(a.pending + i)];
        if (item.tensor != tensor) continue;
        if (item.is_chain)
            due.walk = {item.flow.words, true};
        else
            pass(tensor, item.level, item.flow, item.distinct, a, mine, due.walk, due.account);
    }
    for (int l = a.open[tensor]; l > std::max(common, stored_ - 1); --l) {
        if (!charges_.is_boundary(tensor, l)) continue;
        double distinct = 0.0;
        Flow flow = whole_flow(a, tensor, l, mine, distinct);
        if (may_cost_more_later(a, tensor, l, mine)) flow.lose_track(charges_.wires().cost(l - 1));
        pass(tensor, l, flow, distinct, a, mine, due.walk, due.account);
    }
    return due;
}

double RaggedLabels::open_pj(const Position& at, std::int32_t label, int tensor, int outside) {
    Memo& known = memo(label);
    if (known.outside[tensor] != outside) {
        const Label& b = labels_[static_cast<std::size_t>(label)];
        Position other = at;
        other.since = b.since;
        known.outside[tensor] = static_cast<std::int8_t>(outside);
        known.least_pj[tensor] = least_pending(b, tensor, outside, other);
    }
    return known.least_pj[tensor];
}

// Adds to `ours_` what one label still pays at most of one tensor and the other does not pay as well, and to `theirs_`
// what that pays at least. False: no telling.
bool RaggedLabels::compare(const Position& at, std::int32_t ours, std::int32_t theirs, int tensor) {
    const Label& a = labels_[static_cast<std::size_t>(ours)];
    const Label& b = labels_[static_cast<std::size_t>(theirs)];
    const int common = std::min(a.open[tensor], b.open[tensor]);
    if (a.open[tensor] == b.open[tensor] && covers(a, b, tensor)) {
        bool chained = false;
        for (int i = 0; i < a.pending_count; ++i) {
            const Pending& item = pending_[static_cast<std::size_t>(a.pending + i)];
            chained = chained || (item.tensor == tensor && item.is_chain);
        }
        return common == kSettled || meets_alike(a, b, common, chained);
    }
    const Due& mine = due(at, ours, tensor, common);
    ours_.energy += mine.account.energy;
    for (std::size_t i = 0; i < ours_.words.size(); ++i) ours_.words[i] += mine.account.words[i];
    theirs_.energy.lo += open_pj(at, theirs, tensor, std::max(common, stored_ - 1));
    const Walk& walk = mine.walk;
    if (walk.asks) {  // b has to ask for as much, and at the same place
        const Pending* chain = nullptr;
        for (int i = 0; i < b.pending_count; ++i) {
            const Pending& item = pending_[static_cast<std::size_t>(b.pending + i)];
            if (item.tensor != tensor) continue;
            if (!item.is_chain) return false;
            chain = &item;
        }
        if (b.open[tensor] != common || chain == nullptr || upper(walk.asked) > chain->flow.words.lo) return false;
    }
    return common == kSettled || meets_alike(a, b, common, walk.asks);
}

// a has moved no more words than b so far: what is still to come of it only adds to them.
bool RaggedLabels::moves_no_more(const Label& a, const Label& b) const {
    if (a.words < 0) return true;
    const auto ours = words_.begin() + a.words;
    return std::equal(ours, ours + 2 * charges_.level_count() + 1, words_.begin() + b.words,
                      [this](const Range& mine, const Range& other) { return upper(mine) <= other.lo; });
}

RaggedLabels::Entry RaggedLabels::entry_of(const Label& label, double least_pj) const {
    Entry entry{least_pj, upper(label.energy), {}, static_cast<std::int32_t>(labels_.size())};
    if (label.words < 0) return entry;
    const auto first = words_.begin() + label.words;
    std::for_each(first, first + 2 * charges_.level_count() + 1, [&](const Range& words) {
        entry.moved.lo += words.lo;
        entry.moved.hi += upper(words);
    });
    return entry;
}

// `least_pj`: what the other one costs at least.
bool RaggedLabels::dominates(const Place& place, std::int32_t ours, std::int32_t theirs, double least_pj) {
    const Label& a = labels_[static_cast<std::size_t>(ours)];
    const Label& b = labels_[static_cast<std::size_t>(theirs)];
    if (!may_replace(a, b) || !moves_no_more(a, b)) return false;
    load(a, ours_);
    load(b, theirs_);
    for (int t = 0; t < charges_.tensor_count(); ++t)
        if (!compare(place.at, ours, theirs, t) || upper(ours_.energy) > least_pj) return false;
    if (upper(ours_.energy) > theirs_.energy.lo) return false;
    for (std::size_t i = 0; i < ours_.words.size(); ++i)
        if (upper(ours_.words[i]) > theirs_.words[i].lo) return false;
    return true;
}

}  // namespace tilewright::optimal
