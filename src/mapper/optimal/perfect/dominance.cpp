// Dominance of labels.
#include <algorithm>
#include <bit>

#include "base/numbers/checked.hpp"
#include "mapper/optimal/bounds/bound.hpp"
#include "mapper/optimal/engine/words_moved.hpp"
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

}  // namespace tilewright::optimal
