// What deliveries cost where spatial factors leave remainders: words over all instances and the whole run, as ranges.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "mapper/optimal/ragged_labels.hpp"
#include "mapper/optimal/window_rules.hpp"

namespace tilewright::optimal {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

// Distinct words of a result in the tiles of any one memory: at least without gaps, at most with all of them.
Range distinct_of(const lean::TensorForm& form, const Extents& extents) {
    if (!form.plain) return {0.0, kInfinite};
    Range words{1.0, 1.0};
    for (const lean::Term& term : form.terms) {
        words.lo *= extents[term.dimension];
        words.hi *= 1.0 + term.reach * (extents[term.dimension] - 1.0);
    }
    return words;
}

// To what is known of it otherwise; sums of the same words may differ in the last bits.
void raise(Range& words, double least) { words.lo = std::max(words.lo, std::min(least, words.hi)); }

}  // namespace

// ---------------------------------------------------------------- accounts

void RaggedLabels::load(const Label& label, Account& account) {
    account.energy = label.energy;
    account.words.clear();
    if (label.words < 0) return;
    const auto first = words_.begin() + label.words;
    account.words.assign(first, first + 2 * charges_.level_count() + 1);
}

void RaggedLabels::save(const Account& account, Label& label) {
    label.energy = account.energy;
    if (account.words.empty()) return;
    label.words = static_cast<std::int32_t>(words_.size());
    words_.insert(words_.end(), account.words.begin(), account.words.end());
}

// Takes the place of the least that might have been.
void RaggedLabels::charge(int tensor, int level, bool fills, const AllAccesses& accesses, const Position& at,
                          Account& account) const {
    const Range instances = charges_.instances(level, at);
    account.energy += charges_.energy_pj(level, accesses, setup_.tensors[tensor].written, instances);
    if (account.words.empty()) return;
    const auto word = static_cast<std::size_t>(2 * level + 1);
    const WordsMoved& least = charges_.least_moved(tensor, level, fills);
    account.words[word] += Range::exactly(-least.reads);
    account.words[word + 1] += Range::exactly(-least.writes);
    charges_.add_words(tensor, level, accesses, instances, account.words[word], account.words[word + 1]);
}

// Distinct words of a result at all instances of a memory, `distinct` of them where all indices that do not move it are
// the same.
Range RaggedLabels::first_words(int tensor, int memory, const Range& distinct, const Label& label,
                                const Position& at) const {
    Range first = distinct;
    for (int d = 0; d < charges_.dimension_count(); ++d) {
        if (charges_.is_relevant(tensor, d)) continue;
        const Range ways = charges_.ways(d, memory, at);
        first.lo *= ways.lo;
        first.hi *= ways.hi;
    }
    first.hi *= moved_copies(label, tensor, memory);
    return first;
}

// What is asked of `memory`, if it keeps the tensor; else it is handed on.
void RaggedLabels::arrive(int tensor, int memory, const Label& label, const Position& at, Walk& walk,
                          Account& account) const {
    if (!charges_.keeps(tensor, memory)) return;
    walk.asks = false;
    raise(walk.asked, charges_.least_asked(tensor, memory));
    const lean::TensorForm& form = setup_.tensors[tensor];
    if (!form.written) {
        charge(tensor, memory, false, {walk.asked, {}, {}}, at, account);
        return;
    }
    const Range first = first_words(tensor, memory, distinct_of(form, setup_.extents), label, at);
    const Range reads{std::max(0.0, walk.asked.lo - first.hi), std::max(0.0, walk.asked.hi - first.lo)};
    charge(tensor, memory, false, {reads, {}, walk.asked}, at, account);
}

// `flow` is all that comes over `boundary`: it is filled there, or hands on what is asked inside.
void RaggedLabels::pass(int tensor, int boundary, const Flow& flow, double distinct, const Label& label,
                        const Position& at, Walk& walk, Account& account) const {
    account.energy += charged_wires(label, tensor, boundary, flow.wire_pj);
    if (charges_.keeps(tensor, boundary)) {
        Range held;
        if (setup_.tensors[tensor].written)
            held = setup_.tensors[tensor].plain ? first_words(tensor, boundary, Range::exactly(distinct), label, at)
                                                : Range{0.0, kInfinite};
        Range delivered = flow.delivered;
        raise(delivered, charges_.least_words(tensor, boundary));
        const Range fills{std::max(0.0, delivered.lo - held.hi), std::max(0.0, delivered.hi - held.lo)};
        charge(tensor, boundary, true, {{}, fills, {}}, at, account);
        walk.asked = flow.words;
    } else {
        double least = 1.0 / charges_.most_sharing(tensor, boundary - 1);
        for (int d = 0; d < charges_.dimension_count(); ++d)
            if (!charges_.is_relevant(tensor, d)) least /= charges_.spread(boundary - 1, d);
        // Multiplied first, as the evaluator does: counts that are whole stay whole.
        walk.asked.lo = std::max(walk.asked.lo * least, walk.asked.lo * flow.words.lo / flow.delivered.hi);
        walk.asked.hi = std::min(walk.asked.hi, walk.asked.hi * flow.words.hi / flow.delivered.lo);
    }
    walk.asks = true;
    arrive(tensor, charges_.next(tensor, boundary), label, at, walk, account);
}

// ---------------------------------------------------------------- words over a boundary

// Pairs of an instance and a step with work in all these dimensions; instances that share what they are sent count once
// where `shared`.
double RaggedLabels::actives(int tensor, int boundary, bool shared, const Position& at,
                             std::uint32_t dimensions) const {
    double product = 1.0;
    for (int d = 0; d < charges_.dimension_count(); ++d) {
        if ((dimensions >> d & 1U) == 0) continue;
        const bool once = shared && !charges_.is_relevant(tensor, d);
        product *= charges_.active(d, at, once ? boundary - 2 : boundary - 1, boundary);
    }
    return product;
}

// If every step from here on sent the whole tile.
RaggedLabels::Flow RaggedLabels::whole_flow(const Label& label, int tensor, int boundary, const Position& at,
                                            double& distinct) const {
    const lean::TensorForm& form = setup_.tensors[tensor];
    const auto tiles = [&](int d) { return charges_.active(d, at, boundary - 1, boundary); };
    distinct = 1.0;
    if (form.tangled) {
        distinct = lean::words_in(form, held(boundary, at)) * actives(tensor, boundary, false, at, form.relevant);
    } else {
        int term = 0;
        for (const int end : form.rank_ends) {
            double all = 1.0;
            for (int k = term; k < end; ++k) all *= tiles(form.terms[k].dimension);
            double words = all;
            for (; term < end; ++term) {
                const int d = form.terms[term].dimension;
                words += form.terms[term].reach * (setup_.extents[d] - tiles(d)) * all / tiles(d);
            }
            distinct *= words;
        }
    }
    Flow flow;
    flow.delivered = Range::exactly(distinct * actives(tensor, boundary, false, at, ~form.relevant));
    flow.words = Range::exactly(distinct * actives(tensor, boundary, true, at, ~form.relevant));
    flow.words.lo /= charges_.most_sharing(tensor, boundary - 1);
    flow.wire_pj = whole_wires(label, tensor, boundary, at);
    if (form.tangled) flow.delivered.lo = flow.words.lo = 0.0;
    const double again = sent_again(label, tensor, boundary, true, at) * flow.words.lo;
    flow.delivered.lo += sent_again(label, tensor, boundary, false, at) * flow.delivered.lo;
    flow.words.lo += again;
    if (charges_.wires().cost(boundary - 1))
        flow.wire_pj.lo +=
            again * charges_.wires().least_hops(tensor, boundary - 1) * charges_.wires().hop_pj(tensor, boundary - 1);
    if (closes_up(label, tensor, boundary, false)) flow.lose_track(charges_.wires().cost(boundary - 1));
    return flow;
}

// The full tile of a memory.
Extents RaggedLabels::held(int boundary, const Position& at) const {
    Extents tile{};
    for (int d = 0; d < charges_.dimension_count(); ++d) {
        double inside = at.tile[d];
        for (int l = at.crossed; l < boundary; ++l) inside /= charges_.spread(l, d);
        tile[d] = std::min(inside, setup_.extents[d]);
    }
    return tile;
}

// Instances without work in the last step of a loop that is placed here.
double RaggedLabels::idle(int dimension, int boundary, const Position& at) const {
    double all = 1.0;
    for (int l = at.crossed; l < boundary; ++l) all *= charges_.spread(l, dimension);
    return all * at.chunks[dimension] - charges_.active(dimension, at, boundary - 1, boundary);
}

// ---------------------------------------------------------------- loops

// At most so many steps further out find the tensor's tiles where they were, or, of windows, close to it. Where tiles
// move whole, only loops that do not move them lead back.
double RaggedLabels::steps_back(int tensor, const Position& at) const {
    double steps = 1.0;
    for (int d = 0; d < charges_.dimension_count(); ++d)
        if (!setup_.tensors[tensor].plain || !charges_.is_relevant(tensor, d)) steps *= at.chunks[d];
    return steps;
}

// The first loop outside that moves the tensor.
RaggedLabels::Pending RaggedLabels::begin(const Label& label, int tensor, int boundary, const Position& at,
                                          const Position& after, int dimension, double factor) const {
    Pending pending;
    pending.tensor = static_cast<std::int8_t>(tensor);
    pending.level = static_cast<std::int8_t>(boundary);
    pending.flow = whole_flow(label, tensor, boundary, at, pending.distinct);
    const lean::TensorForm& form = setup_.tensors[tensor];
    const bool wakes = factor == 2.0 && idle(dimension, boundary, at) > 0.0;
    if (wakes && closes_up(label, tensor, boundary, true)) pending.flow.lose_track(charges_.wires().cost(boundary - 1));
    pending.settled = form.plain;
    if (!form.plain) {
        pending.strays = stray_share(dimension, boundary, at);
        pending.wakes = wakes;
        begin_slide(label, pending, at, after, dimension, factor);
        allow_for_moves(label, pending, at);
    }
    if (wakes && pending.settled) save_waking(pending, at, after, dimension);
    return pending;
}

// Of two steps, an instance that has no work in the last one wakes up with what it needs.
void RaggedLabels::save_waking(Pending& pending, const Position& at, const Position& after, int dimension) const {
    const int boundary = pending.level;
    const double words =
        idle(dimension, boundary, at) * lean::words_in(setup_.tensors[pending.tensor], held(boundary, at));
    const double steps = steps_back(pending.tensor, after);
    // Multiplied first: whole words stay whole.
    const auto at_most = [&](bool shared) {
        return words * actives(pending.tensor, boundary, shared, at, ~(1U << dimension)) * (steps - 1.0) / steps;
    };
    const RaggedWires& wires = charges_.wires();
    const double furthest_pj = wires.most_hops(boundary - 1) * wires.hop_pj(pending.tensor, boundary - 1);
    Flow& flow = pending.flow;
    flow.delivered.lo = std::max(0.0, flow.delivered.lo - at_most(false));
    flow.words.lo = std::max(0.0, flow.words.lo - at_most(true));
    flow.wire_pj.lo = std::max(0.0, flow.wire_pj.lo - at_most(true) * furthest_pj);
}

// Of the instances below the boundary, those without work in the last step of a loop that is placed here.
double RaggedLabels::stray_share(int dimension, int boundary, const Position& at) const {
    double all = 1.0;
    for (int l = at.crossed; l < boundary; ++l) all *= charges_.spread(l, dimension);
    return idle(dimension, boundary, at) / all;
}

void RaggedLabels::begin_slide(const Label& label, Pending& window, const Position& at, const Position& after,
                               int dimension, double factor) const {
    const lean::TensorForm& form = setup_.tensors[window.tensor];
    const Extents tile = held(window.level, at);
    for (int d = 0; d < charges_.dimension_count(); ++d)
        if (charges_.is_relevant(window.tensor, d) && std::fmod(setup_.extents[d], tile[d]) != 0.0) window.strays = 1.0;
    window.tile = lean::words_in(form, tile);
    window.kept = kept_words(form, tile, dimension, at.tile[dimension]);
    window.slide = form.key[dimension] * at.tile[dimension];
    window.dimension = static_cast<std::int8_t>(dimension);
    window.along = rank_of(form, dimension);
    window.settled = settles_early(form) && std::popcount(window.along) == 1;
    window.reset = (factor - 1.0) * window.slide;
    window.width = 1.0;
    for (const lean::Term& term : form.terms)
        if ((window.along >> term.dimension & 1U) != 0) window.width += term.reach * (tile[term.dimension] - 1.0);
    const double shift = rank_shift(window, dimension, at);
    const bool idles = idle(dimension, window.level, at) > 0.0;
    window.back = {(factor - (idles ? 2.0 : 1.0)) * shift, (factor - 1.0) * shift};
    for (const bool shared : {false, true}) {
        const double advances = actives(window.tensor, window.level, shared, at, ~0U) -
                                actives(window.tensor, window.level, shared, after, ~0U);
        Range& words = shared ? window.flow.words : window.flow.delivered;
        words.lo = std::max(0.0, words.lo - advances * window.kept);
        if (window.is_steady()) words.hi -= advances * window.kept;
    }
    save_wires(label, window, at, after, window.kept);
}

// Those without work in the last of two steps only know this loop.
double RaggedLabels::kept_by_strays(const Pending& window, const Position& at, int dimension) const {
    const lean::TensorForm& form = setup_.tensors[window.tensor];
    if (window.wakes && window.strays < 1.0)
        return form.key[dimension] == 0.0 ? window.tile
                                          : kept_words(form, held(window.level, at), dimension, at.tile[dimension]);
    if (!settles_early(form)) return window.tile;
    const double along = rank_shift(window, dimension, at);
    const double least = std::max({0.0, along - window.back.hi, window.back.lo - along});
    return window.tile * std::max(0.0, 1.0 - least / window.width);
}

// How far a loop of `dimension` moves the start of the tile along the rank that moved first.
double RaggedLabels::rank_shift(const Pending& window, int dimension, const Position& at) const {
    if ((window.along >> dimension & 1U) == 0) return 0.0;
    double shift = 0.0;
    for (const lean::Term& term : setup_.tensors[window.tensor].terms)
        if (term.dimension == dimension) shift += term.reach * at.tile[dimension];
    return shift;
}

// The next loop outwards. Rules: docs/model.md, "Perfect nests".
void RaggedLabels::slide(const Label& label, Pending& window, const Position& at, const Position& after, int dimension,
                         double factor) const {
    if (window.settled || window.is_chain) return;
    const lean::TensorForm& form = setup_.tensors[window.tensor];
    const double shift = form.key[dimension] * at.tile[dimension];
    const double by = shift - window.reset;
    const double stray = shift == 0.0 ? 0.0 : stray_share(dimension, window.level, at);
    double saved = by == 0.0 ? window.tile : by == window.slide ? window.kept : 0.0;
    const double along = rank_shift(window, dimension, at);
    double most = saved;
    if (window.strays > 0.0) {  // no more than what lies where the tile was
        most = std::max(saved, kept_by_strays(window, at, dimension));
        saved += window.strays * (most - saved);
    }
    if (const double jumps = may_jump(label, window, dimension); jumps > 0.0) {
        most = window.tile;
        saved += jumps * (most - saved);
    }
    for (const bool shared : {false, true}) {
        const double advances = actives(window.tensor, window.level, shared, at, ~0U) -
                                actives(window.tensor, window.level, shared, after, ~0U);
        Range& words = shared ? window.flow.words : window.flow.delivered;
        words.lo = std::max(0.0, words.lo - advances * saved);
        if (window.is_steady()) words.hi -= advances * saved;
    }
    save_wires(label, window, at, after, most);  // those instances may be the ones far away
    window.strays = std::min(1.0, window.strays + stray);
    window.wakes = false;
    window.reset += (factor - 1.0) * shift;
    window.back.lo += (factor - (stray > 0.0 ? 2.0 : 1.0)) * along;
    window.back.hi += (factor - 1.0) * along;
    window.mixed = window.mixed || (along != 0.0 && dimension != window.dimension);
    // An instance that has moved less than others may still slide on.
    window.settled = window.is_steady() && shift != 0.0 && settles_early(form) && (window.along >> dimension & 1U) == 0;
    window.settled = window.settled || still_to_save(window, after) == 0.0;
}

void RaggedLabels::advance(Label& label, const Place& place, int dimension, double factor, const Position& after) {
    Position at = place.at;
    at.since = labels_[static_cast<std::size_t>(label.parent)].since;
    std::vector<Pending> pending = pending_of(label);
    const Label& before = labels_[static_cast<std::size_t>(label.parent)];
    for (Pending& window : pending) slide(before, window, at, after, dimension, factor);
    for (int t = 0; t < charges_.tensor_count(); ++t) {
        if (label.open[t] == kSettled || !charges_.is_relevant(t, dimension)) continue;
        for (int b = label.open[t]; b >= stored_; --b)
            if (charges_.is_boundary(t, b)) pending.push_back(begin(before, t, b, at, after, dimension, factor));
        label.open[t] = kSettled;
    }
    settle_ready(label, after, pending);
}

std::vector<RaggedLabels::Pending> RaggedLabels::pending_of(const Label& label) const {
    const auto first = pending_.begin() + label.pending;
    return {first, first + label.pending_count};
}

// Of every tensor from the inside out: what is asked of a memory is known when all that comes to those inside is.
void RaggedLabels::settle_ready(Label& label, const Position& at, std::vector<Pending>& pending) {
    std::array<Walk, kMaxTensors> walks;
    std::uint32_t blocked = 0;
    std::vector<Pending> left;
    load(label, ours_);
    for (const Pending& item : pending) {
        Walk& walk = walks[item.tensor];
        if (item.is_chain) {
            walk = {item.flow.words, true};
        } else if (item.settled && (blocked >> item.tensor & 1U) == 0) {
            pass(item.tensor, item.level, item.flow, item.distinct, label, at, walk, ours_);
        } else {
            blocked |= 1U << item.tensor;
            left.push_back(item);
        }
    }
    label.pending = static_cast<std::int32_t>(pending_.size());
    for (int t = 0; t < charges_.tensor_count(); ++t) {
        if (!walks[t].asks) continue;
        Pending chain;
        chain.tensor = static_cast<std::int8_t>(t);
        chain.is_chain = true;
        chain.flow.words = walks[t].asked;
        pending_.push_back(chain);
    }
    pending_.insert(pending_.end(), left.begin(), left.end());
    label.pending_count = static_cast<std::int8_t>(pending_.size() - static_cast<std::size_t>(label.pending));
    save(ours_, label);
}

void RaggedLabels::finish(Label& label, const Place& place) {
    const Position at = position(place, label);
    std::vector<Pending> pending = pending_of(label);
    for (Pending& window : pending) window.settled = true;
    for (int t = 0; t < charges_.tensor_count(); ++t) {
        for (int b = label.open[t]; b >= 0; --b) {
            if (!charges_.is_boundary(t, b)) continue;
            Pending whole;
            whole.tensor = static_cast<std::int8_t>(t);
            whole.level = static_cast<std::int8_t>(b);
            whole.settled = true;
            whole.flow = whole_flow(label, t, b, at, whole.distinct);
            pending.push_back(whole);
        }
        label.open[t] = kSettled;
    }
    settle_ready(label, at, pending);
}

// ---------------------------------------------------------------- time

double RaggedLabels::cycles_of(const std::vector<Range>& words) const {
    double cycles = words[0].lo;
    for (int l = 0; l < charges_.level_count(); ++l) {
        const auto at = static_cast<std::size_t>(2 * l + 1);
        cycles = std::max(cycles, charges_.cycles_for(l, words[at].lo, words[at + 1].lo));
    }
    return cycles;
}

double RaggedLabels::cycles_of(const Label& label, const Place& place) const {
    if (label.words < 0) return place.least_cycles;
    const auto first = words_.begin() + label.words;
    return std::max(place.least_cycles, cycles_of({first, first + 2 * charges_.level_count() + 1}));
}

// Memories whose words are all known only matter by the cycles that the slowest of them takes.
void RaggedLabels::fold(int level, Label& label) {
    load(label, ours_);
    std::uint32_t pending = 0;
    const auto mark = [&](int tensor, int boundary) {
        pending |= 1U << boundary;
        int outside = charges_.next(tensor, boundary);
        while (!charges_.keeps(tensor, outside)) outside = charges_.next(tensor, outside);
        pending |= 1U << outside;
    };
    for (int t = 0; t < charges_.tensor_count(); ++t)
        for (int b = label.open[t]; b >= level; --b)
            if (charges_.is_boundary(t, b)) mark(t, b);
    for (const Pending& item : pending_of(label)) {
        for (int l = 0; l < charges_.level_count() && item.is_chain; ++l) pending |= 1U << l;
        if (!item.is_chain) mark(item.tensor, item.level);
    }
    for (int l = level; l < charges_.level_count(); ++l) {
        if ((pending >> l & 1U) != 0 || (l == level && level > 0)) continue;
        Range& reads = ours_.words[static_cast<std::size_t>(2 * l + 1)];
        Range& writes = ours_.words[static_cast<std::size_t>(2 * l + 2)];
        ours_.words[0].lo = std::max(ours_.words[0].lo, charges_.cycles_for(l, reads.lo, writes.lo));
        ours_.words[0].hi = std::max(ours_.words[0].hi, charges_.cycles_for(l, reads.hi, writes.hi));
        reads = writes = {};
    }
    save(ours_, label);
}

}  // namespace tilewright::optimal
