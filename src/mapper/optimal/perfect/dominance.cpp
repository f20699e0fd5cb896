// Dominance of labels.

#include <algorithm>
#include <bit>

#include "base/numbers/checked.hpp"
#include "mapper/optimal/bounds/bound.hpp"
#include "mapper/optimal/engine/words_moved.hpp"
#include "mapper/optimal/geometry/first_words.hpp"
#include "mapper/optimal/geometry/sweep.hpp"
#include "mapper/optimal/perfect/delivery.hpp"

namespace tilewright::optimal {

namespace {}  // namespace

// Deliveries open in one of two labels only: upper bound of `a` (at most the price if settled now), lower bound of `b`.
PerfectDelivery::Pending PerfectDelivery::compare_pending(int point, const Label& a, const Label& b) {
    Pending pending;
    pending_words_.assign(word_count_, 0.0);
    compare_open(point, a, b, pending);
    const auto ours = sliding_of(a);
    const auto theirs = sliding_of(b);
    std::uint32_t matched = 0;
    for (const SlidingDelivery& sliding : ours) {
        const auto covers = [&sliding](const SlidingDelivery& other) {
            return sliding.sent <= other.sent && sliding.moves_like(other);
        };
        const auto match = std::find_if(theirs.begin(), theirs.end(), covers);
        if (match != theirs.end()) {
            matched |= 1U << (match - theirs.begin());
            if (setup_.tensors[sliding.tensor].written) add_doubt(sliding, *match, pending);
            continue;
        }
        pending.ours_pj += sliding.pj;
        if (word_count_ > 0 && sliding.pj < kInfinite)
            charges_.add_words(sliding.tensor, sliding.level, sent(sliding, point), first_words(sliding).least,
                               sliding.groups, std::span(pending_words_).subspan(1));
    }
    for (std::size_t i = 0; i < theirs.size(); ++i)
        if ((matched >> i & 1U) == 0) pending.theirs_pj += theirs[i].least_pj;
    return pending;
}

// Two deliveries of a result with equal words, or fewer of ours; but fewer may be first arrivals.
void PerfectDelivery::add_doubt(const SlidingDelivery& ours, const SlidingDelivery& theirs, Pending& pending) {
    const FirstWords& least = first_words(ours).least;
    const FirstWords& most = first_words(theirs).most;
    pending.ours_pj += charges_.refetch_pj(ours.tensor, ours.level, std::max(0.0, most.held - least.held),
                                           std::max(0.0, most.arriving - least.arriving));
    if (word_count_ > 0)
        charges_.add_refetched(ours.tensor, ours.level, std::max(0.0, most.held - least.held),
                               std::max(0.0, most.arriving - least.arriving), std::span(pending_words_).subspan(1));
}

void PerfectDelivery::compare_open(int point, const Label& a, const Label& b, Pending& pending) {
    for (int t = 0; t < charges_.tensor_count(); ++t) {
        const bool more = a.open[t] > b.open[t];
        for (int l = b.open[t]; l >= stage_->stored[t] && (more || l > a.open[t]); --l)
            if (charges_.delivery(t, l).keeps) pending.theirs_pj += tiles_.least_pj(t, l, point);
        if (!more) continue;
        pending.ours_pj += open_pj(point, t, a.open[t]);
        for (int l = a.open[t]; word_count_ > 0 && l >= stage_->stored[t]; --l)
            if (charges_.delivery(t, l).keeps) add_open_words(point, t, l, std::span(pending_words_).subspan(1));
    }
}

// Every loop and store allowed after b is allowed after a.
bool PerfectDelivery::may_replace(const Label& a, const Label& b) const {
    if (a.turn > b.turn || !a.loops.may_replace(b.loops)) return false;
    for (std::uint32_t left = stage_->begun; left != 0; left &= left - 1) {
        const int level = std::countr_zero(left);
        const double mine = used_[a.used + level];
        const double theirs = used_[b.used + level];
        if (mine > theirs || (mine < theirs && setup_.levels[level].least_use > 0.0)) return false;
    }
    return true;
}

bool PerfectDelivery::dominates(int point, const Label& a, const Label& b) {
    if (!may_replace(a, b)) return false;
    const Pending pending = compare_pending(point, a, b);
    if (a.energy.hi + pending.ours_pj > b.energy.lo + pending.theirs_pj) return false;
    if (word_count_ == 0) return true;
    const double* const mine = words_.data() + a.words + (words_per_label() - word_count_);
    const double* const theirs = words_.data() + b.words;
    for (std::size_t i = 0; i < word_count_; ++i)
        if (mine[i] + pending_words_[i] > theirs[i]) return false;
    return true;
}

double PerfectDelivery::least_pj(int point, const Label& label) const {
    double least = 0.0;
    for (int t = 0; t < charges_.tensor_count(); ++t)
        for (int l = label.open[t]; l >= stage_->stored[t]; --l)
            if (charges_.delivery(t, l).keeps) least += tiles_.least_pj(t, l, point);
    for (const SlidingDelivery& sliding : sliding_of(label)) least += sliding.least_pj;
    return least;
}

// Its deliveries were the last ones made.
void PerfectDelivery::drop(const Label& label) {
    if (label.first_sliding + label.sliding_count == static_cast<std::int32_t>(sliding_.size()))
        sliding_.resize(static_cast<std::size_t>(label.first_sliding));
}

std::optional<PerfectDelivery::Entry> PerfectDelivery::estimate(int point, const Label& label) const {
    const double least = label.energy.lo + least_pj(point, label);
    const double completion = completion_->pj(stage_number_, point);
    if (completion == kInfinite || (*pruned_)(least + completion, cycles_of(label))) return std::nullopt;
    return Entry{least, static_cast<std::int32_t>(labels_.size())};
}

double* PerfectDelivery::own_words(Label& label) {
    if (label.owns_words) return words_.data() + label.words;
    const auto begin = static_cast<std::int32_t>(words_.size());
    words_.resize(words_.size() + words_per_label(), 0.0);
    if (label.parent >= 0) std::copy_n(words_.begin() + label.words, words_per_label(), words_.begin() + begin);
    label.words = begin;
    label.owns_words = true;
    return words_.data() + begin;
}

// Memories with all words known matter only by the slowest one's cycles.
void PerfectDelivery::fold(int level, Label& label) {
    double* const moved = own_words(label);
    std::uint32_t pending = 0;
    const auto mark = [&](int tensor, int at) {
        pending |= 1U << at;
        pending |= 1U << charges_.delivery(tensor, at).parent;
    };
    for (int t = 0; t < charges_.tensor_count(); ++t)
        for (int l = label.open[t]; l >= stage_->stored[t]; --l) mark(t, l);
    for (const SlidingDelivery& sliding : sliding_of(label)) mark(sliding.tensor, sliding.level);
    std::uint32_t known = stage_->whole & ~pending;
    if (level > 0) known &= ~(1U << level);
    for (std::size_t half = 0; half < words_per_label(); half += word_count_)
        optimal::fold(charges_, known, std::span(moved + half, word_count_));
}

double PerfectDelivery::cycles_of(const Label& label) const {
    if (word_count_ == 0) return charges_.steps();
    const std::span<const double> moved(words_.data() + label.words, word_count_);
    return std::max(charges_.steps(), least_cycles(charges_, moved));
}

// Deliveries of overlapping tiles. Rules: docs/model.md, "Perfect nests".

namespace {}  // namespace

void PerfectDelivery::look_at_tensors() {
    for (int t = 0; t < charges_.tensor_count(); ++t) {
        const lean::TensorForm& form = setup_.tensors[t];
        settles_early_[t] = settles_early(form);
        is_doubtful_ = is_doubtful_ || (form.written && !form.plain);
    }
    const int deliveries = charges_.tensor_count() * (charges_.level_count() + 1);
    if (is_doubtful_) first_words_.resize(static_cast<std::size_t>(lattice_.size() * deliveries));
}

bool PerfectDelivery::is_crossed(const SlidingDelivery& sliding) const {
    const Delivery& delivery = charges_.delivery(sliding.tensor, sliding.level);
    return !delivery.dynamic || stage_->crossed <= delivery.parent;
}

double PerfectDelivery::sent(const SlidingDelivery& sliding, int point) const {
    return sliding.moved ? sliding.sent : lattice_.around(point) * tiles_.words(sliding.tensor, sliding.level, point);
}

// Of an open one: every later advance along its rank may slide, or stand still if two dimensions move it.
double PerfectDelivery::least_sent(const SlidingDelivery& sliding, int point) const {
    if (sliding.settled) return sliding.sent;
    if (!settles_early_[sliding.tensor]) return sliding.tile.words;
    double advances = 1.0;
    int dimensions = 0;
    for (std::uint32_t left = sliding.tile.along; left != 0; left &= left - 1) {
        const int d = std::countr_zero(left);
        advances *= charges_.rest()[d] / lattice_.loops(point)[d];
        ++dimensions;
    }
    const double saved = dimensions > 1 ? sliding.tile.words : sliding.tile.kept;
    const double around = lattice_.around(point);
    const double least = sliding.sent - saved * (around - around / advances);  // of whole numbers
    return std::max(sliding.tile.words, least * kRoundedDown);
}

double PerfectDelivery::cost_pj(const SlidingDelivery& sliding, double words, const FirstWords& first) const {
    return charges_.energy_pj(sliding.tensor, sliding.level, words, first, sliding.groups, sliding.hop_pj);
}

const FirstWordsRange& PerfectDelivery::first_words(const SlidingDelivery& sliding) {
    static constexpr FirstWordsRange kNone;
    if (!setup_.tensors[sliding.tensor].written) return kNone;
    const int row = sliding.stored_at * charges_.tensor_count() + sliding.tensor;
    auto& known = first_words_[row * (charges_.level_count() + 1) + sliding.level];
    if (!known)
        known = optimal::first_words(charges_, sliding.tensor, sliding.level, lattice_.loops(sliding.stored_at));
    return *known;
}

void PerfectDelivery::add_words(Label& label, int tensor, int level, double sent, const FirstWordsRange& first,
                                double groups) {
    if (word_count_ == 0) return;
    double* const words = own_words(label);
    charges_.add_words(tensor, level, sent, first.most, groups, std::span(words, word_count_).subspan(1));
    if (is_doubtful_)
        charges_.add_words(tensor, level, sent, first.least, groups,
                           std::span(words + word_count_, word_count_).subspan(1));
}

void PerfectDelivery::price(SlidingDelivery& sliding, int point) {
    if (!is_crossed(sliding)) {
        sliding.pj = kInfinite;
        sliding.least_pj = 0.0;
        return;
    }
    const FirstWordsRange& first = first_words(sliding);
    sliding.pj = cost_pj(sliding, sent(sliding, point), first.least);
    sliding.least_pj = sliding.moved ? cost_pj(sliding, least_sent(sliding, point), first.most)
                                     : tiles_.least_pj(sliding.tensor, sliding.level, point);
}

// The next loop outwards, `factor` times along `dimension`. Rules: docs/model.md, "Perfect nests".
void PerfectDelivery::move(SlidingDelivery& sliding, int point, int dimension, double factor, int to) const {
    if (sliding.settled) return;
    const lean::TensorForm& form = setup_.tensors[sliding.tensor];
    // Fan-outs not crossed yet lie outside this loop, even if it belongs to their memory.
    const double stride = lattice_.loops(point)[dimension] * charges_.inner(stage_->crossed)[dimension];
    const double shift = form.key[dimension] * stride;
    const double advances = (factor - 1.0) * lattice_.around(to);
    if (!sliding.moved) {
        if (shift == 0.0) return;
        const Extents held = tile(sliding.level, point);
        sliding.moved = true;
        sliding.tile.words = lean::words_in(form, held);
        sliding.tile.kept = kept_words(form, held, dimension, stride);
        sliding.tile.slide = shift;
        sliding.tile.along = rank_of(form, dimension);
        sliding.sent = lattice_.around(point) * sliding.tile.words - advances * sliding.tile.kept;
        sliding.settled = settles_early_[sliding.tensor] && std::popcount(sliding.tile.along) == 1;
    } else {
        sliding.sent -= advances * sliding.tile.saved(shift);
        sliding.settled = shift != 0.0 && settles_early_[sliding.tensor] && !sliding.tile.slides_along(dimension);
    }
    sliding.tile.run(shift, factor);
}

void PerfectDelivery::settle(Label& label, const SlidingDelivery& sliding, int point) {
    const double words = sent(sliding, point);
    const FirstWordsRange& first = first_words(sliding);
    const double least_pj = cost_pj(sliding, words, first.most);
    const bool is_sure = !setup_.tensors[sliding.tensor].written;
    label.energy += {least_pj, is_sure ? least_pj : cost_pj(sliding, words, first.least)};
    add_words(label, sliding.tensor, sliding.level, words, first, sliding.groups);
}

// Charges settled deliveries and keeps the others.
void PerfectDelivery::keep_sliding(Label& label, int point, std::vector<SlidingDelivery>& all) {
    label.first_sliding = static_cast<std::int32_t>(sliding_.size());
    label.sliding_count = 0;
    for (SlidingDelivery& sliding : all) {
        if (sliding.settled && is_crossed(sliding)) {
            settle(label, sliding, point);
        } else {
            price(sliding, point);
            sliding_.push_back(sliding);
            ++label.sliding_count;
        }
    }
}

void PerfectDelivery::cross(int level, int point) {
    const Extents inside = tile(level + 1, point);
    for (SlidingDelivery& sliding : moved_) {
        if (sliding.level > level)
            charges_.cross(sliding.tensor, sliding.level, level, inside, sliding.groups, sliding.hop_pj);
    }
}

bool PerfectDelivery::slides_along(const Label& label, int dimension) const {
    const auto mine = sliding_of(label);
    return std::any_of(mine.begin(), mine.end(), [dimension](const SlidingDelivery& sliding) {
        return is_under_way(sliding) && sliding.tile.slides_along(dimension);
    });
}

}  // namespace tilewright::optimal
