// Labels: deliveries of tensors whose tiles overlap. Rules: docs/model.md, "Perfect nests".
#include <algorithm>
#include <bit>
#include <limits>

#include "mapper/optimal/perfect/labels.hpp"
#include "mapper/optimal/sweep.hpp"
#include "mapper/optimal/window_rules.hpp"

namespace tilewright::optimal {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

}  // namespace

// What does not depend on tiles.
void Labels::look_at_windows() {
    for (int t = 0; t < charges_.tensor_count(); ++t) {
        const lean::TensorForm& form = setup_.tensors[t];
        settles_early_[t] = settles_early(form);
        is_doubtful_ = is_doubtful_ || (form.written && !form.plain);
    }
    const int deliveries = charges_.tensor_count() * (charges_.level_count() + 1);
    if (is_doubtful_) first_words_.resize(static_cast<std::size_t>(lattice_.size() * deliveries));
}

bool Labels::is_crossed(const Window& window) const {
    const Delivery& delivery = charges_.delivery(window.tensor, window.level);
    return !delivery.dynamic || stage_->crossed <= delivery.parent;
}

double Labels::sent(const Window& window, int point) const {
    return window.moved ? window.sent : lattice_.around(point) * tiles_.words(window.tensor, window.level, point);
}

// Of a window under way: every advance along its rank that is left may be a slide, or stand still where two dimensions
// move it.
double Labels::least_sent(const Window& window, int point) const {
    if (window.settled) return window.sent;
    if (!settles_early_[window.tensor]) return window.tile.words;
    double advances = 1.0;
    int dimensions = 0;
    for (std::uint32_t left = window.tile.along; left != 0; left &= left - 1) {
        const int d = std::countr_zero(left);
        advances *= charges_.rest()[d] / lattice_.loops(point)[d];
        ++dimensions;
    }
    const double saved = dimensions > 1 ? window.tile.words : window.tile.kept;
    const double around = lattice_.around(point);
    const double least = window.sent - saved * (around - around / advances);  // of whole numbers
    return std::max(window.tile.words, least * kRoundedDown);
}

double Labels::cost_pj(const Window& window, double words, const FirstWords& first) const {
    return charges_.energy_pj(window.tensor, window.level, words, first, window.groups, window.hop_pj);
}

const FirstWordsRange& Labels::first_words(const Window& window) {
    static constexpr FirstWordsRange kNone;
    if (!setup_.tensors[window.tensor].written) return kNone;
    const int row = window.stored_at * charges_.tensor_count() + window.tensor;
    auto& known = first_words_[static_cast<std::size_t>(row * (charges_.level_count() + 1) + window.level)];
    if (!known) known = optimal::first_words(charges_, window.tensor, window.level, lattice_.loops(window.stored_at));
    return *known;
}

void Labels::add_words(Label& label, int tensor, int level, double sent, const FirstWordsRange& first, double groups) {
    if (word_count_ == 0) return;
    double* const words = own_words(label);
    charges_.add_words(tensor, level, sent, first.most, groups, std::span(words, word_count_).subspan(1));
    if (is_doubtful_)
        charges_.add_words(tensor, level, sent, first.least, groups,
                           std::span(words + word_count_, word_count_).subspan(1));
}

void Labels::price(Window& window, int point) {
    if (!is_crossed(window)) {
        window.pj = kInfinite;
        window.least_pj = 0.0;
        return;
    }
    const FirstWordsRange& first = first_words(window);
    window.pj = cost_pj(window, sent(window, point), first.least);
    window.least_pj = window.moved ? cost_pj(window, least_sent(window, point), first.most)
                                   : tiles_.least_pj(window.tensor, window.level, point);
}

// The next loop outwards, `factor` times along `dimension`. Rules: docs/model.md, "Perfect nests".
void Labels::move(Window& window, int point, int dimension, double factor, int to) const {
    if (window.settled) return;
    const lean::TensorForm& form = setup_.tensors[window.tensor];
    // Fan-outs that are not crossed yet lie outside this loop, though it may belong to their memory.
    const double stride = lattice_.loops(point)[dimension] * charges_.inner(stage_->crossed)[dimension];
    const double shift = form.key[dimension] * stride;
    const double advances = (factor - 1.0) * lattice_.around(to);
    if (!window.moved) {
        if (shift == 0.0) return;
        const Extents held = tile(window.level, point);
        window.moved = true;
        window.tile.words = lean::words_in(form, held);
        window.tile.kept = kept_words(form, held, dimension, stride);
        window.tile.slide = shift;
        window.tile.along = rank_of(form, dimension);
        window.sent = lattice_.around(point) * window.tile.words - advances * window.tile.kept;
        window.settled = settles_early_[window.tensor] && std::popcount(window.tile.along) == 1;
    } else {
        window.sent -= advances * window.tile.saved(shift);
        window.settled = shift != 0.0 && settles_early_[window.tensor] && !window.tile.slides_along(dimension);
    }
    window.tile.run(shift, factor);
}

void Labels::settle(Label& label, const Window& window, int point) {
    const double words = sent(window, point);
    const FirstWordsRange& first = first_words(window);
    const double least_pj = cost_pj(window, words, first.most);
    label.energy_pj += least_pj;
    if (setup_.tensors[window.tensor].written) label.doubt_pj += cost_pj(window, words, first.least) - least_pj;
    add_words(label, window.tensor, window.level, words, first, window.groups);
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

bool Labels::slides_along(const Label& label, int dimension) const {
    const auto mine = std::span(windows_).subspan(label.windows, label.window_count);
    return std::any_of(mine.begin(), mine.end(), [dimension](const Window& window) {
        return is_under_way(window) && window.tile.slides_along(dimension);
    });
}

}  // namespace tilewright::optimal
