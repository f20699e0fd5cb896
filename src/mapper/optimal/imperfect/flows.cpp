// Deliveries with spatial remainders: words over all instances and the whole run, as ranges.
#include <algorithm>

#include "base/numbers/checked.hpp"
#include "mapper/optimal/engine/words_moved.hpp"
#include "mapper/optimal/imperfect/delivery.hpp"

namespace tilewright::optimal {
namespace {

// Distinct words of a result in the tiles of any one memory: lower end without gaps, upper end with all.
Range distinct_of(const lean::TensorForm& form, const Extents& extents) {
    if (!form.plain) return {0.0, kInfinite};
    Range words{1.0, 1.0};
    for (const lean::Term& term : form.terms) {
        words.lo *= extents[term.dimension];
        words.hi *= 1.0 + term.reach * (extents[term.dimension] - 1.0);
    }
    return words;
}

// Raises the lower end; sums of the same words may differ in the last bits.
void raise(Range& words, double least) { words.lo = std::max(words.lo, std::min(least, words.hi)); }

}  // namespace

// ---------------------------------------------------------------- accounts

void ImperfectDelivery::load(const Label& label, Account& account) {
    account.energy = label.energy;
    account.words.clear();
    if (label.words < 0) return;
    const auto first = words_.begin() + label.words;
    account.words.assign(first, first + static_cast<std::ptrdiff_t>(words_in_row(charges_.level_count())));
}

void ImperfectDelivery::save(const Account& account, Label& label) {
    label.energy = account.energy;
    if (account.words.empty()) return;
    label.words = static_cast<std::int32_t>(words_.size());
    words_.insert(words_.end(), account.words.begin(), account.words.end());
}

// Replaces the lower bound reserved for it.
void ImperfectDelivery::charge(int tensor, int level, bool fills, const AllAccesses& accesses, const Position& at,
                               Account& account) const {
    const Range instances = charges_.instances(level, at);
    account.energy += charges_.energy_pj(tensor, level, accesses, instances);
    if (account.words.empty()) return;
    const WordsMoved& least = charges_.least_moved(tensor, level, fills);
    account.words[reads_at(level)] += Range::exactly(-least.reads);
    account.words[writes_at(level)] += Range::exactly(-least.writes);
    charges_.add_words(tensor, level, accesses, instances, account.words[reads_at(level)],
                       account.words[writes_at(level)]);
}

// Distinct words of a result at all instances of a memory, `distinct` of them for equal irrelevant indices.
Range ImperfectDelivery::first_words(int tensor, int memory, const Range& distinct, const Label& label,
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

// Requests to `memory`, if it keeps the tensor; otherwise handed on.
void ImperfectDelivery::arrive(int tensor, int memory, const Label& label, const Position& at, Walk& walk,
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

int ImperfectDelivery::asking(int tensor, int boundary) const {
    int asking = boundary + 1;
    while (asking < charges_.level_count() && !charges_.keeps(tensor, asking)) ++asking;
    return asking;
}

// With a remainder in a relevant dimension an instance may be idle in a step and find its tile again.
bool ImperfectDelivery::may_resume(const Label& label, int tensor, int memory) const {
    std::uint32_t remainders = 0;
    for (int l = 0; l < memory; ++l) remainders |= l < crossed_ ? charges_.may_leave(l) : label.imperfect[l];
    return (remainders & setup_.tensors[tensor].relevant) != 0;
}

// Requests of a boundary not keeping the tensor, for requests `asked` from inside. Neighbours with different irrelevant
// indices request together, whenever index 0 does. If each step requests something else, the fan-out requests once per
// step, the neighbours once per work. If the requesters hold a tile through the steps of outer loops, requests are
// rarer and more neighbours share them: as in `flow`, or irregularly for windows and resumed tiles. Without a remainder
// all of them always request.
Range ImperfectDelivery::passed_on(int tensor, int boundary, const Flow& flow, const Range& asked, const Label& label,
                                   const Position& at) const {
    const int fanout = boundary - 1;
    const int asking = this->asking(tensor, boundary);
    const bool units = asking == charges_.level_count();
    bool ordered = fanout >= at.crossed;  // no instance changes places
    for (int l = 0; l < charges_.level_count(); ++l)
        ordered = ordered && (l < crossed_ ? !charges_.may_repack(l) : label.repacking[l] < 0);
    const bool regular = ordered && (units || (setup_.tensors[tensor].plain && !may_resume(label, tensor, asking)));
    bool every_step = regular && !flow.moves_those_who_ask;
    double neighbours = 1.0;
    double steps = 1.0;
    double pairs = 1.0;
    for (int d = 0; d < charges_.dimension_count(); ++d) {
        const double extent = charges_.spread(fanout, d);
        if (charges_.is_relevant(tensor, d) || extent == 1.0) continue;
        neighbours *= extent;
        steps *= at.chunks[d] * at.tile[d] / extent;
        pairs *= setup_.extents[d];
        every_step = every_step && !charges_.spreads_more(d, fanout);
    }
    const bool alike = ordered && pairs == steps * neighbours;
    const double most_sharing = charges_.most_sharing(tensor, fanout);
    Range passed{asked.lo / neighbours / most_sharing, asked.hi};  // multiplied first: whole counts stay whole
    if (alike)
        passed.hi = asked.hi / neighbours;
    else if (regular)
        passed.hi = std::min(asked.hi, asked.hi * steps / pairs);
    if (every_step) passed.lo = asked.lo * steps / pairs / most_sharing;
    if (regular) passed.lo = std::max(passed.lo, asked.lo * flow.words.lo / flow.delivered.hi);
    passed.lo = std::min(passed.lo, passed.hi);
    return passed;
}

// `flow`: all words over `boundary`, filled there or handed on for inner requests.
void ImperfectDelivery::pass(int tensor, int boundary, const Flow& flow, double distinct, const Label& label,
                             const Position& at, Walk& walk, Account& account) const {
    if (charges_.keeps(tensor, boundary)) {
        account.energy += flow.wire_pj;
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
        walk.asked = passed_on(tensor, boundary, flow, walk.asked, label, at);
        account.energy += passing_wires(tensor, boundary, walk.asked, label);
    }
    walk.asks = true;
    arrive(tensor, charges_.next(tensor, boundary), label, at, walk, account);
}

// ---------------------------------------------------------------- words over a boundary

// Pairs with work in all these dimensions of an instance and a step; with `shared`, instances sharing words count once.
double ImperfectDelivery::actives(int tensor, int boundary, bool shared, const Position& at,
                                  std::uint32_t dimensions) const {
    double product = 1.0;
    for (int d = 0; d < charges_.dimension_count(); ++d) {
        if ((dimensions >> d & 1U) == 0) continue;
        const bool once = shared && !charges_.is_relevant(tensor, d);
        product *= charges_.active(d, at, once ? boundary - 2 : boundary - 1, boundary);
    }
    return product;
}

// If every later step sent the whole tile.
ImperfectDelivery::Flow ImperfectDelivery::whole_flow(const Label& label, int tensor, int boundary, const Position& at,
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
    flow.moves_those_who_ask = label.open[tensor] != kSettled && asking(tensor, boundary) <= label.open[tensor];
    flow.delivered = Range::exactly(distinct * actives(tensor, boundary, false, at, ~form.relevant));
    flow.words = Range::exactly(distinct * actives(tensor, boundary, true, at, ~form.relevant));
    flow.words.lo /= charges_.most_sharing(tensor, boundary - 1);
    flow.wire_pj = whole_wires(label, tensor, boundary, at);
    if (form.tangled) flow.delivered.lo = flow.words.lo = 0.0;
    const double again = sent_again(label, tensor, boundary, true, at) * flow.words.lo;
    flow.delivered.lo += sent_again(label, tensor, boundary, false, at) * flow.delivered.lo;
    flow.words.lo += again;
    if (pays_wires(tensor, boundary))
        flow.wire_pj.lo +=
            again * charges_.wires().least_hops(tensor, boundary - 1) * charges_.wires().hop_pj(tensor, boundary - 1);
    if (repacks(label, tensor, boundary, false)) allow_for_more(label, flow, tensor, boundary, at);
    return flow;
}

Extents ImperfectDelivery::held(int boundary, const Position& at) const {
    Extents tile{};
    for (int d = 0; d < charges_.dimension_count(); ++d) {
        double inside = at.tile[d];
        for (int l = at.crossed; l < boundary; ++l) inside /= charges_.spread(l, d);
        tile[d] = std::min(inside, setup_.extents[d]);
    }
    return tile;
}

// Instances idle in the last step of a loop placed here.
double ImperfectDelivery::idle(int dimension, int boundary, const Position& at) const {
    double all = 1.0;
    for (int l = at.crossed; l < boundary; ++l) all *= charges_.spread(l, dimension);
    return all * at.chunks[dimension] - charges_.active(dimension, at, boundary - 1, boundary);
}

// ---------------------------------------------------------------- loops

void ImperfectDelivery::advance(Label& label, const TileNode& node, int dimension, double factor,
                                const Position& after) {
    Position at = node.at;
    at.since = labels_[label.parent].since;
    std::vector<Pending> pending = pending_of(label);
    const Label& before = labels_[label.parent];
    for (Pending& window : pending) slide(before, window, at, after, dimension, factor);
    for (int t = 0; t < charges_.tensor_count(); ++t) {
        if (label.open[t] == kSettled || !charges_.is_relevant(t, dimension)) continue;
        for (int b = label.open[t]; b >= stored_; --b)
            if (charges_.is_boundary(t, b)) pending.push_back(begin(before, t, b, at, after, dimension, factor));
        label.open[t] = kSettled;
    }
    settle_ready(label, after, pending);
}

std::vector<ImperfectDelivery::Pending> ImperfectDelivery::pending_of(const Label& label) const {
    const auto first = pending_.begin() + label.pending;
    return {first, first + label.pending_count};
}

// Every tensor from the inside out: requests to a memory are known once all deliveries to inner ones are.
void ImperfectDelivery::settle_ready(Label& label, const Position& at, std::vector<Pending>& pending) {
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

void ImperfectDelivery::finish(Label& label, const TileNode& node) {
    const Position at = position(node, label);
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

double ImperfectDelivery::cycles_of(const Label& label, const TileNode& node) const {
    if (label.words < 0) return node.least_cycles;
    const std::span<const Range> words(words_.data() + label.words, words_in_row(charges_.level_count()));
    return std::max(node.least_cycles, least_cycles(charges_, words));
}

Range ImperfectDelivery::cycles_at(const Label& label, const TileNode& node) const {
    const Range least = Range::exactly(node.least_cycles);
    return label.words < 0 ? least : larger(least, words_[label.words]);
}

// Memories with all words known matter only by the slowest one's cycles.
void ImperfectDelivery::fold(int level, Label& label) {
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
    const std::uint32_t outside = (1U << (level > 0 ? level + 1 : 0)) - 1U;  // and this one
    optimal::fold(charges_, ~(pending | outside), std::span<Range>(ours_.words));
    save(ours_, label);
}

}  // namespace tilewright::optimal
