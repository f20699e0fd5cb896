// Words of a tensor with windows sent to the instances of a memory, in nests with remainders.
//
// As imperfect.cpp, but one instance at a time and composed from the inside out. A sub-nest's words after its first
// tile depend on the dimensions in their last chunk and on one more bit: a clash of the remembered direction with the
// first move inside. A loop is then a few transitions between sub-nests: first ones until the remembered direction
// repeats, and the one into the last chunk. Instances come in kinds: per dimension, every spatial index is before the
// last one, the last one, or idle in the last chunk.
//
// Below one parent, neighbours differing in a relevant index never need the same words at once, if every rank is spread
// in one way only; those differing in irrelevant indices need index 0's words, provided that an idle one resumes with
// the others' direction. If that is uncertain, there is no answer.

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "model/lean/imperfect.hpp"
#include "model/lean/nest.hpp"
#include "model/lean/window_kinds.hpp"

namespace tilewright::lean {
namespace {

// One instance's words: the walk over its loops, from the inside out (window.cpp). Internal to model/.

class InstanceWalk {
   public:
    InstanceWalk(const WindowNest& at, const InstanceKinds& kinds) : at_(at), kinds_(kinds) {}

    /// The instances of the dimension are of this kind.
    void choose(int dimension, const Variant& variant) { chosen_[dimension] = &variant; }
    /// Words of one instance, with a choice made for every dimension; NaN if uncertain.
    double words();
    /// There was no room for a case.
    bool failed() const { return failed_; }

   private:
    struct Tile {
        std::array<std::int64_t, kMaxRanks> low;
        std::array<std::int64_t, kMaxRanks> high;  ///< exclusive
    };
    /// A sub-nest in some situation, relative to its start.
    struct Sub {
        std::uint32_t last;  ///< dimensions in their last chunk
        bool moves;
        std::int64_t first_move;
        std::array<double, 2> words;            ///< after the first tile: direction fits, direction clashes
        std::array<std::int64_t, 2> direction;  ///< at the end
        Tile first;
        Tile end;
    };
    struct Transition {
        std::int64_t move;
        double whole;  ///< words of the new tile
        double rest;   ///< those the old one does not hold
    };
    class Walker;  // goes from tile to tile, remembering a direction

    double words_of(const Tile& tile) const;
    const Sub* sub(int k, std::uint32_t last);
    Sub* fresh(std::uint32_t last);
    const Sub* single(std::uint32_t last);
    const Sub* loop(int k, std::uint32_t last);
    Transition between(const Tile& from, const Tile& to, const WalkLoop& at) const;
    void compose(const WalkLoop& at, std::int64_t trips, const Sub& a, const Sub& b, Sub& result) const;

    static constexpr int kMaxKnown = 64;
    static constexpr int kMaxSubs = 768;

    const WindowNest& at_;
    const InstanceKinds& kinds_;
    bool failed_ = false;
    std::array<const Variant*, kMaxDimensions> chosen_;
    std::array<std::uint32_t, kMaxWalkLoops + 1> differs_;  ///< inside walk loop k
    std::array<int, kMaxWalkLoops + 1> known_;
    std::array<std::array<const Sub*, kMaxKnown>, kMaxWalkLoops + 1> by_loop_;
    std::array<Sub, kMaxSubs> subs_;
    int sub_count_ = 0;
};

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

class WindowFlow {
   public:
    WindowFlow(const Setup& setup, const ImperfectNest& nest, int level, int asking, int tensor)
        : at_(setup, nest, level, asking, tensor) {}

    std::optional<Flow> run() {
        if (at_.form.tangled || !one_way_per_rank()) return std::nullopt;
        at_.choose_ranks();
        if (!at_.choose_loops() || repacking_shows()) return std::nullopt;
        for (std::uint32_t left = at_.nest.looped[at_.child]; left != 0; left &= left - 1)
            if (!kinds_.add_dimension(std::countr_zero(left))) return std::nullopt;
        Flow flow;
        sum_kinds(0, 1.0, 1.0, flow);
        if (walk_.failed() || std::isnan(flow.words)) return std::nullopt;
        return flow;
    }

   private:
    // Repacking changes nothing if instances stay in all relevant dimensions, or if every shorter step begins and ends
    // with a move without overlap and without a continued direction.
    bool repacking_shows() const {
        for (int l = 0; l < at_.child; ++l) {
            const Repack& repack = at_.nest.repack[l];
            if (repack.deep) return true;
            for (std::uint32_t left = repack.imperfect; left != 0; left &= left - 1) {
                const int d = std::countr_zero(left);
                if (at_.is_relevant(d) ? !moves_clear(l, d)
                                       : (repack.outside & at_.form.relevant) != 0 || !only_imperfect(l, d))
                    return true;
            }
        }
        return false;
    }

    bool only_imperfect(int level, int d) const {
        for (int j = at_.nest.outside[level + 1]; j < at_.nest.temporal[level]; ++j)
            if (at_.nest.loops[j].dimension != d && at_.nest.loops[j].remainder != at_.nest.loops[j].extent)
                return false;
        return true;
    }

    // Every change of the last chunk of `d` moves each instance along a rank of its own, out of its tile, for any
    // earlier direction: slides of another dimension precede every such move, or only `d` moves.
    bool moves_clear(int level, int d) const {
        if (at_.loop_count == 0 || terms_beside(d) != 0) return false;
        int twice = 0;
        bool thrice = false;
        for (int j = at_.nest.from[level + 1][d]; j < at_.nest.loop_count; j = at_.nest.loops[j].next) {
            if (at_.nest.loops[j].spatial) continue;
            thrice = thrice || at_.nest.loops[j].remainder >= 3.0;
            twice += at_.nest.loops[j].remainder >= 2.0 ? 1 : 0;
        }
        if (!thrice && twice < 2) return false;
        const int slider = at_.loops[0].dimension;
        if (slider == d) return at_.nest.loops[at_.innermost].remainder >= 3.0;
        for (int j = at_.nest.from[at_.child][slider]; j < at_.nest.loop_count; j = at_.nest.loops[j].next)
            if (at_.nest.loops[j].remainder != at_.nest.loops[j].extent) return false;
        return true;
    }

    // Other dimensions of the rank moved by `d`.
    int terms_beside(int d) const { return static_cast<int>(at_.rank[at_.rank_of[d]]->terms.size()) - 1; }

    bool one_way_per_rank() const {
        for (int l = at_.level; l < at_.child; ++l)
            if (spreads_a_rank_twice(at_.form, at_.nest, l)) return false;
        return true;
    }

    void sum_kinds(int index, double delivered, double groups, Flow& flow) {
        if (walk_.failed()) return;
        if (index == kinds_.dimensions()) {
            const double words = walk_.words();
            flow.delivered += delivered * words;
            if (groups > 0.0) flow.words += groups * words;
            return;
        }
        for (int v = 0; v < kinds_.variants(index); ++v) {
            const Variant& variant = kinds_.variant(index, v);
            walk_.choose(kinds_.dimension(index), variant);
            sum_kinds(index + 1, delivered * variant.delivered, groups * variant.groups, flow);
        }
    }

    WindowNest at_;
    InstanceKinds kinds_{at_};
    InstanceWalk walk_{at_, kinds_};
};

}  // namespace

std::optional<Flow> window_flow(const Setup& setup, const ImperfectNest& nest, int level, int asking, int tensor) {
    return WindowFlow(setup, nest, level, asking, tensor).run();
}

}  // namespace tilewright::lean
