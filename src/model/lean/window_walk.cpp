#include "model/lean/window_walk.hpp"

#include <algorithm>
#include <limits>

#include "model/lean/direction.hpp"

namespace tilewright::lean {

// Goes from tile to tile, remembering a direction.
class InstanceWalk::Walker {
   public:
    explicit Walker(std::int64_t start) : direction(start) {}

    std::int64_t direction;
    double words = 0.0;

    void go(const Transition& transition) {
        if (transition.move == 0) {
            words += transition.rest;
        } else if (direction == kNoDirection || direction == transition.move) {
            direction = transition.move;
            words += transition.rest;
        } else {
            direction = kNoDirection;
            words += transition.whole;
        }
    }
    void run(const Sub& sub) {
        if (!sub.moves) return;
        const int clashes = direction == kNoDirection || direction == sub.first_move ? 0 : 1;
        words += sub.words[clashes];
        direction = sub.direction[clashes];
    }
    // `times` more iterations. The direction at the end of an iteration repeats after at most two, with a period of at
    // most two. `before`: the direction one iteration before the end.
    void repeat(const Transition& again, const Sub& a, std::int64_t times, std::int64_t& before) {
        std::int64_t earlier = kOtherDirection;
        double words_before = 0.0;
        for (std::int64_t i = 0; i < times; ++i) {
            const Walker start = *this;
            go(again);
            run(a);
            before = start.direction;
            const double sent = words - start.words;
            const std::int64_t left = times - 1 - i;
            if (direction == start.direction) {
                words += static_cast<double>(left) * sent;
                return;
            }
            if (i >= 3 && direction == earlier && left >= 2) {
                const std::int64_t pairs = left / 2;
                words += static_cast<double>(pairs) * (sent + words_before);
                i += 2 * pairs;
            }
            earlier = start.direction;
            words_before = sent;
        }
    }
};

double InstanceWalk::words() {
    for (int k = 0; k <= at_.loop_count; ++k) {
        std::uint32_t differs = 0;
        for (int i = 0; i < kinds_.dimensions(); ++i)
            differs |= (chosen_[kinds_.dimension(i)]->differs >> k & 1U) << kinds_.dimension(i);
        differs_[k] = differs;
        known_[k] = 0;
    }
    sub_count_ = 0;
    const Sub* all = sub(at_.loop_count, differs_[at_.loop_count]);
    if (all == nullptr) return 0.0;
    return (words_of(all->first) + all->words[0]) * at_.unchanging_words;
}

double InstanceWalk::words_of(const Tile& tile) const {
    double words = 1.0;
    for (int r = 0; r < at_.ranks; ++r) words *= static_cast<double>(tile.high[r] - tile.low[r]);
    return words;
}

// The loops inside walk loop k, with the dimensions in `last` in their last chunk. Null if there is no room.
const InstanceWalk::Sub* InstanceWalk::sub(int k, std::uint32_t last) {
    for (int i = 0; i < known_[k]; ++i)
        if (by_loop_[k][i]->last == last) return by_loop_[k][i];
    const Sub* result = k == 0 ? single(last) : loop(k - 1, last);
    if (result == nullptr || known_[k] == kMaxKnown) {
        failed_ = true;
        return nullptr;
    }
    by_loop_[k][known_[k]++] = result;
    return result;
}

InstanceWalk::Sub* InstanceWalk::fresh(std::uint32_t last) {
    if (sub_count_ == kMaxSubs) return nullptr;
    Sub* result = &subs_[sub_count_++];
    result->last = last;
    return result;
}

const InstanceWalk::Sub* InstanceWalk::single(std::uint32_t last) {
    Sub* result = fresh(last);
    if (result == nullptr) return nullptr;
    for (int r = 0; r < at_.ranks; ++r) {
        std::int64_t low = 0;
        std::int64_t high = 1;
        for (const tilewright::Term& term : at_.rank[r]->terms) {
            const int d = term.dimension;
            const bool is_last = (last >> d & 1U) != 0 || (at_.nest.looped[at_.child] >> d & 1U) == 0;
            const double extent = is_last ? at_.nest.last[at_.child][d] : at_.nest.full[at_.child][d];
            const std::int64_t reach = term.coefficient * (static_cast<std::int64_t>(extent) - 1);
            (reach < 0 ? low : high) += reach;
        }
        result->first.low[r] = low;
        result->first.high[r] = high;
    }
    result->end = result->first;
    result->moves = false;
    result->words.fill(0.0);  // called if nothing moves the tensor at all
    return result;
}

const InstanceWalk::Sub* InstanceWalk::loop(int k, std::uint32_t last) {
    const WalkLoop& at = at_.loops[k];
    const Variant& variant = *chosen_[at.dimension];
    const std::uint32_t bit = 1U << at.dimension;
    const bool at_last = (last & bit) != 0;
    const std::int64_t trips = at_last ? variant.trips[k] : at.extent;
    const std::uint32_t full = last & ~bit & differs_[k];
    const std::uint32_t final =
        at_last && (variant.ends_last >> static_cast<unsigned>(k) & 1U) != 0 ? last & differs_[k] : full;
    const Sub* b = sub(k, final);
    if (b == nullptr) return nullptr;
    Sub* result = fresh(last);
    if (result == nullptr) return nullptr;
    if (trips == 1) {
        *result = *b;
        result->last = last;
        return result;
    }
    const Sub* a = final == full ? b : sub(k, full);
    if (a == nullptr) return nullptr;
    compose(at, trips, *a, *b, *result);
    return result;
}

InstanceWalk::Transition InstanceWalk::between(const Tile& from, const Tile& to, const WalkLoop& at) const {
    Transition result{0, 1.0, 0.0};
    double overlap = 1.0;
    for (int r = 0; r < at_.ranks; ++r) {
        const std::int64_t shift = r == at.rank ? at.shift : 0;
        const std::int64_t low = to.low[r] + shift;
        const std::int64_t high = to.high[r] + shift;
        const std::int64_t doubled = low + high - from.low[r] - from.high[r];
        result.move += at_.unit[r] * (doubled >= 0 ? (doubled + 1) / 2 : (doubled - 1) / 2);
        result.whole *= static_cast<double>(high - low);
        overlap *=
            static_cast<double>(std::max<std::int64_t>(0, std::min(high, from.high[r]) - std::max(low, from.low[r])));
    }
    result.rest = result.whole - overlap;
    return result;
}

void InstanceWalk::compose(const WalkLoop& at, std::int64_t trips, const Sub& a, const Sub& b, Sub& result) const {
    const std::int64_t alike = &a == &b ? trips : trips - 1;
    const Transition again = alike > 1 ? between(a.end, a.first, at) : Transition{0, 0.0, 0.0};
    const Transition into_last = &a == &b ? Transition{0, 0.0, 0.0} : between(a.end, b.first, at);
    result.first = a.first;
    result.end = b.end;
    if (at.rank >= 0) {
        result.end.low[at.rank] += at.shift * (trips - 1);
        result.end.high[at.rank] += at.shift * (trips - 1);
    }
    result.first_move = a.moves               ? a.first_move
                        : again.move != 0     ? again.move
                        : into_last.move != 0 ? into_last.move
                        : b.moves             ? b.first_move
                                              : 0;
    result.moves = result.first_move != 0;
    for (const int clashes : {0, 1}) {
        Walker walker{clashes == 0 ? kNoDirection : kOtherDirection};
        walker.run(a);
        std::int64_t before = walker.direction;
        walker.repeat(again, a, alike - 1, before);
        if (&a != &b) {
            before = walker.direction;
            walker.go(into_last);
            walker.run(b);
        }
        if (at.must_settle && walker.direction != before) walker.words = std::numeric_limits<double>::quiet_NaN();
        result.words[clashes] = walker.words;
        result.direction[clashes] = walker.direction;
    }
}

}  // namespace tilewright::lean
