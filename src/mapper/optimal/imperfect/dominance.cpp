// Dominance of labels with ranges of cost.
#include <algorithm>
#include <bit>
#include <cmath>

#include "mapper/optimal/engine/words_moved.hpp"
#include "mapper/optimal/geometry/first_words.hpp"
#include "mapper/optimal/imperfect/delivery.hpp"

namespace tilewright::optimal {

// Upper bound of the words kept by each outer tile of an open window. Along its rank it slides by a whole tile, if a
// single dimension moves it; another rank brings it back to its start, or to an instance that has moved less.
ImperfectDelivery::Saving ImperfectDelivery::still_to_save(const Pending& window, const Position& at) const {
    if (window.settled) return {};
    const lean::TensorForm& form = setup_.tensors[window.tensor];
    if (!form.plain && !settles_early(form)) return {window.share * window.tile.words, window.tile.words};
    if (window.idled != 0) {
        const std::uint32_t others = ~window.idled & ~(form.plain ? form.relevant : 0U);
        const double kept = window.tile.words * (window.jumps > 0.0 ? 1.0 : most_kept_across(window, at, others));
        return {window.share * kept, kept};
    }
    double advances = 1.0;
    double along = 0.0;
    std::array<Travel::Rest, kMaxDimensions> rest;
    std::size_t count = 0;
    for (std::uint32_t left = window.tile.along; left != 0; left &= left - 1) {
        const int d = std::countr_zero(left);
        advances *= at.chunks[d];
        if (at.chunks[d] == 1.0) continue;
        along = std::max(along, d == window.dimension && !window.mixed ? window.tile.kept : window.tile.words);
        rest[count++] = {rank_shift(window, d, at), at.chunks[d]};
    }
    const bool alike = window.is_steady() && charges_.most_instances(window.level) == 1.0;
    if (alike) return {along * (1.0 - 1.0 / advances), along};
    along = std::min(along, window.tile.words * window.travel.most_kept({rest.data(), count}));
    Travel::Pairs any;
    any.fill(1.0);
    Travel::Kept late = window.travel.kept_by_late(-1, 0.0, any, window.share);
    late.others = window.share;  // fewer may be late before the last later step
    const Saving back = kept(window, late, 0.0, 0.0);
    const double across = most_kept_across(window, at, ~window.tile.along);
    const double save = std::max(window.share * along, across * back.on_average);
    const double most = window.jumps > 0.0 ? window.tile.words : std::max(along, across * back.most);
    return {std::min(window.share * most, save + window.jumps * window.tile.words), most};
}

// Upper bound of the share of a tile kept as any of these later loops advances.
double ImperfectDelivery::most_kept_across(const Pending& window, const Position& at, std::uint32_t dimensions) const {
    std::uint32_t completion = 0;
    for (int d = 0; d < charges_.dimension_count(); ++d) completion |= (at.chunks[d] > 1.0 ? 1U : 0U) << d;
    double most = 0.0;
    for (std::uint32_t left = completion & dimensions; left != 0; left &= left - 1) {
        const int d = std::countr_zero(left);
        const bool mixes = (rank_of(setup_.tensors[window.tensor], d) & completion & ~(1U << d)) != 0;
        most = std::max(most, mixes ? 1.0 : kept_across(window, at, d));
    }
    return most;
}

// Lower bound of the open cost over one boundary, for any later loops. `walk`: the flow from inside.
double ImperfectDelivery::least_of(const Label& label, const Pending& window, const Position& at, Walk& walk,
                                   Account& account) const {
    Flow flow = window.flow;
    if (!window.settled) {
        const Saving saving = still_to_save(window, at);
        flow.delivered.lo -= saving.on_average * actives(window.tensor, window.level, false, at, ~0U);
        flow.words.lo -= saving.on_average * actives(window.tensor, window.level, true, at, ~0U);
        flow.wire_pj.lo -= saving.most * wire_pj(label, window.tensor, window.level, at, false);
        for (Range* words : {&flow.delivered, &flow.words, &flow.wire_pj}) words->lo = std::max(0.0, words->lo);
        flow.delivered.hi = flow.words.hi = INFINITY;
    }
    const double before = account.energy.lo;
    pass(window.tensor, window.level, flow, window.distinct, label, at, walk, account);
    return std::max(charges_.least_pj(window.tensor, window.level), account.energy.lo - before);
}

// Open cost of one tensor at boundaries inside memory `outside`, for any later loops. Adds its words to `account`.
double ImperfectDelivery::least_pending(const Label& label, int tensor, int outside, const Position& at,
                                        Account& account) const {
    double least = 0.0;
    for (int b = label.open[tensor]; b > outside; --b)
        if (charges_.is_boundary(tensor, b)) least += charges_.least_pj(tensor, b);
    Walk walk;
    for (int i = 0; i < label.pending_count; ++i) {
        const Pending& item = pending_[label.pending + i];
        if (item.tensor != tensor) continue;
        if (item.is_chain)
            walk = {item.flow.words, true};
        else
            least += least_of(label, item, at, walk, account);
    }
    return least;
}

ImperfectDelivery::Least ImperfectDelivery::least_of(const Label& label, const TileNode& node) {
    const Position at = position(node, label);
    load(label, ours_);
    Least least{label.energy.lo, node.least_cycles};
    for (int t = 0; t < charges_.tensor_count(); ++t)
        least.energy_pj += least_pending(label, t, stored_ - 1, at, ours_);
    if (label.words >= 0)
        least.cycles = std::max(least.cycles, least_cycles(charges_, std::span<const Range>(ours_.words)));
    return least;
}

// Every loop allowed after b in this block is allowed after a, and as many instances work.
bool ImperfectDelivery::may_replace(const Label& a, const Label& b) const {
    if (!a.loops.may_replace(b.loops)) return false;
    if (!setup_.leaks) return true;
    for (int d = 0; d < charges_.dimension_count(); ++d)
        if (charges_.spreads_twice(d) && a.since[d] < b.since[d]) return false;
    return true;
}

// Nothing has moved the tensor outside `boundary` in either label: a is sent no more than b by any later loops.
bool ImperfectDelivery::meets_alike(const Label& a, const Label& b, int boundary, bool equal) const {
    for (int l = crossed_; l < boundary; ++l) {
        if (!charges_.may_repack(l)) continue;
        if (a.imperfect[l] != b.imperfect[l] || a.repacking[l] != b.repacking[l]) return false;
        if (a.repacking[l] >= 0 && !(a.changes[l] <= b.changes[l])) return false;
    }
    for (int d = 0; d < charges_.dimension_count(); ++d) {
        const int ours = std::min<int>(a.since[d], boundary);
        const int theirs = std::min<int>(b.since[d], boundary);
        if (ours == theirs) continue;
        bool spreads = false;
        bool repacks = false;
        for (int l = 0; l < boundary; ++l) {
            if (charges_.spread(l, d) == 1.0) continue;
            spreads = true;
            repacks = repacks || charges_.may_repack(l);
        }
        if (spreads && (equal || repacks || charges_.spreads_twice(d) || ours < theirs)) return false;
    }
    return true;
}

// The tensor's open cost in a is at most that in b, for any later loops. For results with overlapping tiles the number
// of first words is unknown: words saved by b may be first words.
bool ImperfectDelivery::covers(const Label& a, const Label& b, int tensor) const {
    const lean::TensorForm& form = setup_.tensors[tensor];
    const bool knows_first = !form.written || form.plain;
    int theirs = b.pending;
    const int end = b.pending + b.pending_count;
    const auto next = [&] {
        while (theirs < end && pending_[theirs].tensor != tensor) ++theirs;
        return theirs < end;
    };
    for (int i = 0; i < a.pending_count; ++i) {
        const Pending& mine = pending_[a.pending + i];
        if (mine.tensor != tensor) continue;
        if (!next()) return false;
        const Pending& other = pending_[theirs++];
        if (!mine.is_chain && !knows_first) return false;
        if (!mine.moves_like(other) || upper(mine.flow.words) > other.flow.words.lo ||
            upper(mine.flow.delivered) > other.flow.delivered.lo || upper(mine.flow.wire_pj) > other.flow.wire_pj.lo)
            return false;
        if (!mine.is_chain && !meets_alike(a, b, mine.level, true)) return false;
    }
    return !next();
}

// Stores and fan-outs have changed: cached comparisons are void.
void ImperfectDelivery::forget() {
    remembered_from_ = labels_.size();
    memos_.clear();
    dues_.clear();
}

// Of the next label, with an index possibly used before.
void ImperfectDelivery::forget(std::int32_t label) {
    memos_.resize(static_cast<std::size_t>(label) - remembered_from_ + 1);
    Memo& old = memo(label);
    old.outside.fill(kUnknown);
    for (const std::int32_t due : old.due)
        if (due >= 0) dues_[due].common = kUnknown;
}

const ImperfectDelivery::Due& ImperfectDelivery::due(const Position& at, std::int32_t label, int tensor, int common) {
    std::int32_t& index = memo(label).due[tensor];
    if (index < 0) {
        index = static_cast<std::int32_t>(dues_.size());
        dues_.emplace_back();
    }
    Due& due = dues_[index];
    if (due.common == common) return due;
    const Label& a = labels_[label];
    Position mine = at;
    mine.since = a.since;
    due.common = common;
    due.walk = {};
    due.account.energy = {};
    due.account.words.assign(a.words < 0 ? 0U : words_in_row(charges_.level_count()), Range{});
    for (int i = 0; i < a.pending_count; ++i) {
        const Pending& item = pending_[a.pending + i];
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
        if (may_cost_more_later(a, tensor, l, mine)) {
            allow_for_more(a, flow, tensor, l, mine);
            if (!charges_.keeps(tensor, l)) flow.words.hi = INFINITY;  // fewer of them may be shared
        }
        pass(tensor, l, flow, distinct, a, mine, due.walk, due.account);
    }
    return due;
}

double ImperfectDelivery::open_pj(const Position& at, std::int32_t label, int tensor, int outside) {
    Memo& known = memo(label);
    if (known.outside[tensor] != outside) {
        const Label& b = labels_[label];
        Position other = at;
        other.since = b.since;
        known.outside[tensor] = static_cast<std::int8_t>(outside);
        Account energy;
        known.least_pj[tensor] = least_pending(b, tensor, outside, other, energy);
    }
    return known.least_pj[tensor];
}

// Open requests or deliveries of the tensor still cross a fan-out with irregular sharing (passed_on), or pay wires by
// the number of joint requesters: two labels with equal requests may pass on, or pay, different amounts.
bool ImperfectDelivery::passes_irregularly(const Label& a, int tensor) const {
    if (mode_.relaxed || a.pending_count == 0) return false;
    for (int l = charges_.level_count() - 1; l > 0; --l) {
        if (charges_.keeps(tensor, l) || !charges_.is_boundary(tensor, l)) continue;
        const std::uint32_t remainders = l - 1 < crossed_ ? charges_.may_leave(l - 1) : a.imperfect[l - 1];
        const int memory = asking(tensor, l);
        if (memory == charges_.level_count()) continue;
        const bool is_ruled = (remainders & ~setup_.tensors[tensor].relevant) == 0 ||
                              (setup_.tensors[tensor].plain && !may_resume(a, tensor, memory));
        if (is_ruled && (!charges_.wires().cost(l - 1) || asks_evenly(a, l - 1))) continue;
        for (int i = 0; i < a.pending_count; ++i)
            if (pending_[a.pending + i].tensor == tensor) return true;
    }
    return false;
}

// Adds one label's own open cost (upper bound) to `ours_`, the other's (lower bound) to `theirs_`. False: unknown.
bool ImperfectDelivery::compare(const Position& at, std::int32_t ours, std::int32_t theirs, int tensor) {
    const Label& a = labels_[ours];
    const Label& b = labels_[theirs];
    if (passes_irregularly(a, tensor) || passes_irregularly(b, tensor)) return false;
    const int common = std::min(a.open[tensor], b.open[tensor]);
    if (a.open[tensor] == b.open[tensor] && covers(a, b, tensor)) {
        bool chained = false;
        for (int i = 0; i < a.pending_count; ++i) {
            const Pending& item = pending_[a.pending + i];
            chained = chained || (item.tensor == tensor && item.is_chain);
        }
        return common == kSettled || meets_alike(a, b, common, chained);
    }
    const Due& mine = due(at, ours, tensor, common);
    ours_.energy += mine.account.energy;
    for (std::size_t i = 0; i < ours_.words.size(); ++i) ours_.words[i] += mine.account.words[i];
    theirs_.energy.lo += open_pj(at, theirs, tensor, std::max(common, stored_ - 1));
    const Walk& walk = mine.walk;
    if (walk.asks) {  // b has to request as much, at the same place
        const Pending* chain = nullptr;
        for (int i = 0; i < b.pending_count; ++i) {
            const Pending& item = pending_[b.pending + i];
            if (item.tensor != tensor) continue;
            if (!item.is_chain) return false;
            chain = &item;
        }
        if (b.open[tensor] != common || chain == nullptr || upper(walk.asked) > chain->flow.words.lo) return false;
    }
    return common == kSettled || meets_alike(a, b, common, walk.asks);
}

// a has moved no more words than b so far: open ones only add to them.
bool ImperfectDelivery::moves_no_more(const Label& a, const Label& b) const {
    if (a.words < 0) return true;
    const auto ours = words_.begin() + a.words;
    return std::equal(ours, ours + static_cast<std::ptrdiff_t>(words_in_row(charges_.level_count())),
                      words_.begin() + b.words,
                      [this](const Range& mine, const Range& other) { return upper(mine) <= other.lo; });
}

ImperfectDelivery::Entry ImperfectDelivery::entry_of(const Label& label, double least_pj) const {
    Entry entry{least_pj, upper(label.energy), {}, static_cast<std::int32_t>(labels_.size())};
    if (label.words < 0) return entry;
    const auto first = words_.begin() + label.words;
    std::for_each(first, first + static_cast<std::ptrdiff_t>(words_in_row(charges_.level_count())),
                  [&](const Range& words) {
                      entry.moved.lo += words.lo;
                      entry.moved.hi += upper(words);
                  });
    return entry;
}

// `least_pj`: the other label's lower bound.
bool ImperfectDelivery::dominates(const TileNode& node, std::int32_t ours, std::int32_t theirs, double least_pj) {
    const Label& a = labels_[ours];
    const Label& b = labels_[theirs];
    if (!may_replace(a, b) || !moves_no_more(a, b)) return false;
    load(a, ours_);
    load(b, theirs_);
    for (int t = 0; t < charges_.tensor_count(); ++t)
        if (!compare(node.at, ours, theirs, t) || upper(ours_.energy) > least_pj) return false;
    if (upper(ours_.energy) > theirs_.energy.lo) return false;
    for (std::size_t i = 0; i < ours_.words.size(); ++i)
        if (upper(ours_.words[i]) > theirs_.words[i].lo) return false;
    return true;
}

}  // namespace tilewright::optimal
