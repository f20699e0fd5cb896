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

// ---------------------------------------------------------------- blocks that close up (docs/model.md, rule 7)

// Dimensions of the loops with a remainder inside another loop of the block, and of the loops outside them.
bool RaggedLabels::closes_up(const Label& label, int level, std::uint32_t& ragged, std::uint32_t& outside) const {
    return closes_up(level, level < crossed_ ? charges_.may_leave(level) : label.ragged[level], ragged, outside);
}

bool RaggedLabels::closes_up(int level, std::uint32_t leaves, std::uint32_t& ragged, std::uint32_t& outside) const {
    ragged = outside = 0;
    if (!charges_.may_close_up(level)) return false;
    std::uint32_t inside = 0;
    const auto pass = [&](bool on_y, bool divides) {
        for (int k = 0; k < charges_.dimension_count(); ++k) {
            const int d = charges_.spatial_order(level)[static_cast<std::size_t>(k)];
            if (charges_.spread(level, d) == 1.0 || charges_.assignment()[level].runs_on_y(d) != on_y) continue;
            if (((leaves >> d & 1U) == 0) != divides) continue;
            ragged |= inside;
            if (inside != 0) outside |= 1U << d;
            if (!divides) inside |= 1U << d;
        }
    };
    for (const bool on_y : {false, true})
        for (const bool divides : {true, false}) pass(on_y, divides);
    return ragged != 0;
}

std::uint32_t RaggedLabels::block(int level) const {
    std::uint32_t dimensions = 0;
    for (int d = 0; d < charges_.dimension_count(); ++d) dimensions |= (charges_.spread(level, d) > 1.0 ? 1U : 0U) << d;
    return dimensions;
}

// With r of s neighbours left in the shorter step, number k of the loops outside begins at place k s in the others and
// at place k r there: the places overlap where k < r / (s - r).
std::int16_t RaggedLabels::closing_at(int level, const Position& inside, std::uint32_t leaves) {
    Closing closing;
    std::uint32_t ragged = 0;
    if (!closes_up(level, leaves, ragged, closing.outside)) return -1;
    const int d = std::countr_zero(ragged);
    const double spread = charges_.spread(level, d);
    const double left = std::fmod(inside.chunks[d], spread);
    if (std::popcount(ragged) == 1 && inside.chunks[d] > spread) {
        closing.dimension = d;
        closing.neighbours = left;
        closing.meets = std::ceil(left / (spread - left));
        for (std::uint32_t rest = closing.outside; rest != 0; rest &= rest - 1) {
            const int outer = std::countr_zero(rest);
            const double alike = fast_ceil(inside.chunks[outer] / charges_.spread(level, outer));
            closing.meets *= alike * inside.tile[outer] / setup_.extents[outer];
        }
        closing.meets = std::min(1.0, closing.meets);
    }
    const auto found = std::find(closings_.begin(), closings_.end(), closing);
    if (found != closings_.end()) return static_cast<std::int16_t>(found - closings_.begin());
    closings_.push_back(closing);
    return static_cast<std::int16_t>(closings_.size() - 1);
}

// What an instance is sent after the fan-out has closed up may be what it holds: in at most this share of all steps.
// Loops outside that each move another rank tell apart what neighbours hold.
double RaggedLabels::meeting(const Label& label, int tensor, int level) const {
    if (level < crossed_) return charges_.may_close_up(level) ? 1.0 : 0.0;
    if (label.closing[level] < 0) return 0.0;
    const Closing& closing = closings_[static_cast<std::size_t>(label.closing[level])];
    return (closing.outside & ~charges_.moves_alone(tensor)) == 0 ? closing.meets : 1.0;
}

// The tensor has stayed while a loop went on to its shorter step: neighbours that sit elsewhere then are sent what they
// work on. At least so many words per word of those that are sent anyway.
double RaggedLabels::sent_again(const Label& label, int tensor, int boundary, bool shared, const Position& at) const {
    double most = 0.0;
    for (int l = crossed_; l < boundary; ++l) {
        if (label.closing[l] < 0) continue;
        const Closing& closing = closings_[static_cast<std::size_t>(label.closing[l])];
        const int d = closing.dimension;
        if (d < 0 || charges_.is_relevant(tensor, d) || label.since[d] > l || charges_.spreads_often(d, boundary))
            continue;
        const bool once = shared && l == boundary - 1;
        const double all = charges_.active(d, at, shared ? boundary - 2 : boundary - 1, boundary);
        most = std::max(most, (once ? 1.0 : closing.neighbours) / all * (1.0 - meeting(label, tensor, l)));
    }
    return most;
}

// An instance may also hold what others of its block would, where a fan-out around the boundary closes up: at most how
// many times more words that is.
double RaggedLabels::moved_copies(const Label& label, int tensor, int boundary) const {
    std::uint32_t shorter = 0;  // dimensions with a shorter last tile
    for (int l = charges_.level_count() - 1; l >= std::max(boundary, crossed_); --l) shorter |= label.ragged[l];
    for (int l = boundary; l < crossed_; ++l) shorter |= charges_.may_leave(l);
    const std::uint32_t relevant = setup_.tensors[tensor].relevant;
    double copies = 1.0;
    for (int l = boundary - 1; l >= 0; --l) {
        const std::uint32_t all = block(l);
        std::uint32_t ragged = 0;
        std::uint32_t outside = 0;
        const bool closes = closes_up(label, l, ragged, outside);
        if (closes && ((all & shorter) != 0 || ((ragged & ~relevant) != 0 && (outside & relevant) != 0)))
            for (int d = 0; d < charges_.dimension_count(); ++d)
                if (charges_.is_relevant(tensor, d)) copies *= charges_.spread(l, d);
        shorter |= l < crossed_ ? charges_.may_leave(l) : label.ragged[l];
    }
    return copies;
}

// Some loop outside the boundary left the tensor where it was.
bool RaggedLabels::stays(const Label& label, int tensor, int boundary) const {
    for (int d = 0; d < charges_.dimension_count(); ++d)
        if (!charges_.is_relevant(tensor, d) && label.since[d] < boundary) return true;
    return false;
}

// Then what an instance holds may be of no use where it works next: more words than counted. As PlainCount in
// model/lean_ragged_counts.cpp has it, if every step from here on moves the tensor. `idles`: some instance wakes up
// with what it holds.
bool RaggedLabels::closes_up(const Label& label, int tensor, int boundary, bool idles) const {
    // Tiles that move whole are sent once per step at most: more of them only where others stayed.
    if (setup_.tensors[tensor].plain && !stays(label, tensor, boundary)) return false;
    std::uint32_t shorter = 0;  // dimensions with a shorter last tile
    for (int l = charges_.level_count() - 1; l >= boundary; --l) shorter |= label.ragged[l];
    const std::uint32_t relevant = setup_.tensors[tensor].relevant;
    for (int l = boundary - 1; l >= 0; --l) {
        std::uint32_t ragged = 0;
        std::uint32_t outside = 0;
        const std::uint32_t all = block(l);
        if (l < crossed_) {  // not known yet: as bad as it may be
            if (charges_.may_close_up(l) && (idles || !setup_.tensors[tensor].plain || (all & shorter) != 0))
                return true;
            shorter |= charges_.may_leave(l);
            continue;
        }
        if (closes_up(label, l, ragged, outside)) {
            if (idles || !setup_.tensors[tensor].plain || (all & shorter) != 0) return true;
            for (std::uint32_t left = ragged & ~relevant; left != 0 && (outside & relevant) != 0; left &= left - 1)
                if (label.since[std::countr_zero(left)] <= l) return true;
        }
        shorter |= label.ragged[l];
    }
    return false;
}

// An open delivery that loops further out leave where it is, or wake up, may come to cost more than if it were settled
// now: where a fan-out closes up, and where what instances hold is shared while they pass it on.
bool RaggedLabels::may_cost_more_later(const Label& label, int tensor, int boundary, const Position& at) const {
    const std::uint32_t relevant = setup_.tensors[tensor].relevant;
    std::uint32_t to_come = 0;
    for (int d = 0; d < charges_.dimension_count(); ++d) to_come |= (at.chunks[d] > 1.0 ? 1U : 0U) << d;
    std::uint32_t remainders = 0;
    bool may_close_up = false;
    for (int l = 0; l < boundary; ++l) {
        remainders |= l < crossed_ ? charges_.may_leave(l) : label.ragged[l];
        std::uint32_t ragged = 0;
        std::uint32_t outside = 0;
        may_close_up = may_close_up || (l < crossed_ ? charges_.may_close_up(l) : closes_up(label, l, ragged, outside));
    }
    const bool wakes = (remainders & relevant & to_come) != 0;
    if (wakes && !charges_.keeps(tensor, boundary)) return true;
    const bool leaves = (to_come & ~relevant) != 0 || stays(label, tensor, boundary);
    return may_close_up && (wakes || leaves || !setup_.tensors[tensor].plain);
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

// Where a fan-out closes up, an instance may come to where its window overlaps with the last one, or is the same:
// whenever a step becomes shorter or full again.
void RaggedLabels::allow_for_moves(const Label& label, Pending& window, const Position& at) const {
    double share = 0.0;
    for (int l = 0; l < window.level; ++l) {
        const double meets = meeting(label, window.tensor, l);
        if (meets == 0.0) continue;
        window.jumps += meets;
        share += meets * (l < crossed_ ? 1.0 : moves_at_once(label, window, l, at));
    }
    window.jumps = std::min(1.0, window.jumps);
    // A loop that alone moves a rank shows every instance another tile in each of its steps: only one that has a single
    // step may see the same again.
    if (window.settled) {
        const int d = window.dimension;
        share *= window.wakes
                     ? std::min(1.0, idle(d, window.level, at) / charges_.active(d, at, window.level - 1, window.level))
                     : 0.0;
    }
    for (Range* words : {&window.flow.delivered, &window.flow.words, &window.flow.wire_pj})
        words->lo *= std::max(0.0, 1.0 - share);
}

// Of what is sent as the first loop moves the tensor, the share that follows a step of another length. What loops
// further out lead to is left to slide(), if it will be asked.
double RaggedLabels::moves_at_once(const Label& label, const Pending& window, int level, const Position& at) const {
    const Closing& closing = closings_[static_cast<std::size_t>(label.closing[level])];
    const int d = closing.dimension;
    if (d < 0) return 1.0;
    const double chunks = at.chunks[d];
    if (window.settled || label.since[d] <= level) return std::min(1.0, 2.0 / chunks);
    if (window.dimension != d) return 0.0;
    return closing.neighbours / ((chunks - 1.0) * charges_.spread(level, d) + closing.neighbours);
}

// Of the instances that a loop of `dimension` moves on, those that may come to where others were: once a loop that
// closes up has moved, every other one may lead back to its longer steps.
double RaggedLabels::may_jump(const Label& label, const Pending& window, int dimension) const {
    double share = 0.0;
    for (int l = 0; l < window.level; ++l) {
        if (l >= crossed_ && label.closing[l] >= 0) {
            const int d = closings_[static_cast<std::size_t>(label.closing[l])].dimension;
            if (d >= 0 && d != dimension && label.since[d] > l) continue;
        }
        share += meeting(label, window.tensor, l);
    }
    return std::min(1.0, share);
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
