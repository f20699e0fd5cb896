// Deliveries of overlapping tiles. Rules: docs/model.md, "Perfect nests".
#include <algorithm>
#include <bit>

#include "base/numbers/checked.hpp"
#include "mapper/optimal/geometry/first_words.hpp"
#include "mapper/optimal/geometry/sweep.hpp"
#include "mapper/optimal/perfect/delivery.hpp"

namespace tilewright::optimal {
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
