// What the instances of a memory are sent of a tensor with windows, in nests with remainders.
//
// As imperfect.cpp, but one instance at a time and composed from the inside out. What a sub-nest of temporal loops
// sends after its first tile depends on which dimensions are in their last chunk and on one more bit: whether the
// direction that the instance remembers clashes with the first move inside. A loop is then a few transitions between
// sub-nests: first ones until the remembered direction repeats, and the one into the last chunk. Instances come in
// kinds: per dimension, every spatial index is before the last one, the last one, or idle in the last chunk.
//
// Below one parent, neighbours that differ in a relevant index never want the same words at once as long as every rank
// is spread in one way; those that differ in irrelevant indices want what index 0 does, provided that one that idles
// remembers the direction that the others have when it wakes up. Where that is not sure, there is no answer.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "model/lean/imperfect.hpp"

namespace tilewright::lean {
namespace {

constexpr int kMaxWalkLoops = 32;
constexpr int kMaxVariants = 12;
constexpr int kMaxSubs = 768;
constexpr std::int64_t kNoDirection = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kOtherDirection = kNoDirection + 1;  // clashes with every move

// A temporal loop outside the child that matters, innermost first.
struct WalkLoop {
    int dimension;
    int rank;  // that it moves, -1 for none
    std::int64_t shift;
    std::int64_t extent;
    bool must_settle;  // some neighbours idle in its last iteration, others do not
};

// How the loops of one dimension run for some indices of its spatial loops, when the dimension is in its last chunk.
struct Variant {
    double delivered = 1.0;       // index combinations
    double groups = 1.0;          // those of them that stand for a group of neighbours
    std::uint32_t differs = 0;    // bit j: inside walk loop j the last chunk differs from a full one
    std::uint32_t ends_last = 0;  // bit j: the last iteration of walk loop j runs the last chunk inside
    std::array<std::int32_t, kMaxWalkLoops> trips;  // of walk loop j; only those of the dimension are set
};

struct Tile {
    std::array<std::int64_t, kMaxRanks> low;
    std::array<std::int64_t, kMaxRanks> high;  // exclusive
};

// A sub-nest in some situation, relative to where it starts.
struct Sub {
    std::uint32_t last;  // dimensions in their last chunk
    bool moves;
    std::int64_t first_move;
    std::array<double, 2> words;            // after the first tile: direction fits, direction clashes
    std::array<std::int64_t, 2> direction;  // at the end
    Tile first;
    Tile end;
};

// From one tile to the next.
struct Transition {
    std::int64_t move;
    double whole;  // words of the new tile
    double rest;   // those that the old one does not hold
};

class WindowFlow {
   public:
    WindowFlow(const Setup& setup, const ImperfectNest& nest, int level, int tensor)
        : setup_(setup),
          nest_(nest),
          level_(level),
          child_(level + 1),
          form_(setup.tensors[tensor]),
          tensor_(setup.einsum.tensors[tensor]) {}

    std::optional<Flow> run() {
        if (form_.tangled || !one_way_per_rank()) return std::nullopt;
        choose_ranks();
        if (!choose_loops() || repacking_shows()) return std::nullopt;
        for (std::uint32_t left = nest_.looped[child_]; left != 0; left &= left - 1)
            if (!add_variants(std::countr_zero(left))) return std::nullopt;
        Flow flow;
        sum_kinds(0, 1.0, 1.0, flow);
        if (failed_ || std::isnan(flow.words)) return std::nullopt;
        return flow;
    }

   private:
    bool is_relevant(int d) const { return (form_.relevant >> d & 1U) != 0; }

    // Repacking changes nothing when instances stay where they are in all relevant dimensions, or when every shorter
    // step comes and goes with a move that leaves no overlap and no direction to go on with.
    bool repacking_shows() const {
        for (int l = 0; l < child_; ++l) {
            const Repack& repack = nest_.repack[l];
            if (repack.deep) return true;
            for (std::uint32_t left = repack.imperfect; left != 0; left &= left - 1) {
                const int d = std::countr_zero(left);
                if (is_relevant(d) ? !moves_clear(l, d)
                                   : (repack.outside & form_.relevant) != 0 || !only_imperfect(l, d))
                    return true;
            }
        }
        return false;
    }

    bool only_imperfect(int level, int d) const {
        for (int j = nest_.outside[level + 1]; j < nest_.temporal[level]; ++j)
            if (nest_.loops[j].dimension != d && nest_.loops[j].remainder != nest_.loops[j].extent) return false;
        return true;
    }

    // Every change of the last chunk of `d` moves each instance along a rank of its own, out of its tile, and it does
    // not matter which way it came: slides of another dimension precede every such move, or nothing moves without `d`.
    bool moves_clear(int level, int d) const {
        if (loop_count_ == 0 || terms_beside(d) != 0) return false;
        int twice = 0;
        bool thrice = false;
        for (int j = nest_.from[level + 1][d]; j < nest_.loop_count; j = nest_.loops[j].next) {
            if (nest_.loops[j].spatial) continue;
            thrice = thrice || nest_.loops[j].remainder >= 3.0;
            twice += nest_.loops[j].remainder >= 2.0 ? 1 : 0;
        }
        if (!thrice && twice < 2) return false;
        const int slider = loops_[0].dimension;
        if (slider == d) return nest_.loops[innermost_].remainder >= 3.0;
        for (int j = nest_.from[child_][slider]; j < nest_.loop_count; j = nest_.loops[j].next)
            if (nest_.loops[j].remainder != nest_.loops[j].extent) return false;
        return true;
    }

    // Other dimensions in the rank that `d` moves.
    int terms_beside(int d) const { return static_cast<int>(rank_[rank_of_[d]]->terms.size()) - 1; }

    bool one_way_per_rank() const {
        std::uint32_t spread = 0;
        for (int j = nest_.outside[child_]; j < nest_.temporal[level_]; ++j) spread |= 1U << nest_.loops[j].dimension;
        int term = 0;
        for (const int end : form_.rank_ends) {
            int ways = 0;
            for (; term < end; ++term) ways += static_cast<int>(spread >> form_.terms[term].dimension & 1U);
            if (ways > 1) return false;
        }
        return true;
    }

    // Ranks whose tiles change; the others only multiply.
    void choose_ranks() {
        rank_of_.fill(-1);
        std::int64_t unit = 1;
        for (const Rank& rank : tensor_.ranks) {
            bool changes = false;
            double width = 1.0;
            double whole = 1.0;
            for (const tilewright::Term& term : rank.terms) {
                const double reach = std::abs(static_cast<double>(term.coefficient));
                changes = changes || (nest_.looped[child_] >> term.dimension & 1U) != 0;
                width += reach * (nest_.last[child_][term.dimension] - 1.0);
                whole += reach * setup_.extents[term.dimension];
            }
            if (!changes) {
                unchanging_words_ *= width;
                continue;
            }
            for (const tilewright::Term& term : rank.terms) {
                rank_of_[term.dimension] = ranks_;
                coefficient_[term.dimension] = term.coefficient;
            }
            rank_[ranks_] = &rank;
            unit_[ranks_++] = unit;
            unit *= 8 * static_cast<std::int64_t>(whole);
        }
    }

    // Loops inside the innermost one that moves the tensor only decide whether there is anything to do.
    bool choose_loops() {
        innermost_ = nest_.outside[child_];
        while (innermost_ < nest_.loop_count &&
               (nest_.loops[innermost_].spatial || !is_relevant(nest_.loops[innermost_].dimension)))
            ++innermost_;
        for (int j = innermost_; j < nest_.loop_count; ++j) {
            const ImperfectLoop& loop = nest_.loops[j];
            if (loop.spatial) continue;
            if (loop_count_ == kMaxWalkLoops - 1) return false;
            const int rank = rank_of_[loop.dimension];
            const std::int64_t step = static_cast<std::int64_t>(loop.step);
            loops_[loop_count_++] = {loop.dimension, rank, rank < 0 ? 0 : coefficient_[loop.dimension] * step,
                                     static_cast<std::int64_t>(loop.extent), false};
        }
        return true;
    }

    // ---------------------------------------------------------------- kinds of instances

    struct Growing {
        Variant variant;
        bool same;    // inside, the last chunk is like a full one
        bool active;  // inside, the last chunk has something to do
        int walked;   // walk loops so far
    };

    bool add_variants(int d) {
        dimensions_[dimension_count_] = d;
        variant_count_[dimension_count_] = 0;
        Growing growing;
        growing.same = !is_relevant(d) || nest_.full[child_][d] == nest_.last[child_][d];
        growing.active = true;
        growing.walked = 0;
        grow(growing, d, nest_.from[child_][d]);
        ++dimension_count_;
        return !failed_;
    }

    void grow(Growing growing, int d, int j) {
        for (; j < nest_.loop_count; j = nest_.loops[j].next) {
            const ImperfectLoop& loop = nest_.loops[j];
            if (loop.spatial) return spread(growing, d, loop);
            temporal(growing, loop, j);
        }
        finish(growing);
    }

    void temporal(Growing& growing, const ImperfectLoop& loop, int j) {
        if (j < innermost_) {
            if (loop.remainder > 1.0) growing.same = growing.active = true;
            return;
        }
        const int k = walk_index(j);
        mark(growing, k);
        const std::int32_t trips = static_cast<std::int32_t>(loop.remainder) - (growing.active ? 0 : 1);
        const bool ends_last = growing.active && !growing.same;
        growing.variant.trips[static_cast<std::size_t>(k)] = trips;
        growing.variant.ends_last |= static_cast<std::uint32_t>(ends_last) << k;
        growing.active = trips > 0;
        growing.same = !ends_last && static_cast<double>(trips) == loop.extent;
        growing.walked = k + 1;
    }

    // The state holds inside walk loops up to and with k.
    static void mark(Growing& growing, int k) {
        for (; growing.walked <= k; ++growing.walked)
            growing.variant.differs |= static_cast<std::uint32_t>(!growing.same) << growing.walked;
    }

    int walk_index(int j) const {
        int index = 0;
        for (int i = innermost_; i < j; ++i) index += nest_.loops[i].spatial ? 0 : 1;
        return index;
    }

    void spread(const Growing& growing, int d, const ImperfectLoop& loop) {
        const bool stands = loop.level == level_ && !is_relevant(d);  // index 0 stands for all
        const bool merge = growing.same && growing.active;
        const double before = loop.remainder - (merge ? 0.0 : 1.0);
        const double idle = loop.extent - loop.remainder;
        const int end = walk_index(static_cast<int>(&loop - nest_.loops.data()));
        Growing base = growing;
        if (end > 0) mark(base, end - 1);
        const auto branch = [&](double count, bool has_first, bool same, bool active) {
            if (count == 0.0) return;
            Growing next = base;
            next.variant.delivered *= count;
            next.variant.groups *= stands ? (has_first ? 1.0 : 0.0) : count;
            next.same = same;
            next.active = active;
            grow(next, d, loop.next);
        };
        branch(before, true, true, true);
        if (!merge) branch(1.0, loop.remainder == 1.0, growing.same, growing.active);
        branch(idle, false, false, false);
        if (stands && idle > 0.0)
            for (int k = 0; k < loop_count_; ++k)
                if (loops_[static_cast<std::size_t>(k)].dimension == d)
                    loops_[static_cast<std::size_t>(k)].must_settle = true;
    }

    void finish(Growing& growing) {
        if (!growing.active) return;
        mark(growing, loop_count_);
        int& count = variant_count_[dimension_count_];
        const int d = dimensions_[dimension_count_];
        for (int v = 0; v < count; ++v) {
            Variant& known = variants_[dimension_count_][v];
            if (!alike(known, growing.variant, d)) continue;
            known.delivered += growing.variant.delivered;
            known.groups += growing.variant.groups;
            return;
        }
        if (count == kMaxVariants) {
            failed_ = true;
            return;
        }
        variants_[dimension_count_][count++] = growing.variant;
    }

    bool alike(const Variant& a, const Variant& b, int d) const {
        if (a.differs != b.differs || a.ends_last != b.ends_last) return false;
        for (int k = 0; k < loop_count_; ++k)
            if (loops_[static_cast<std::size_t>(k)].dimension == d && a.trips[k] != b.trips[k]) return false;
        return true;
    }

    void sum_kinds(int index, double delivered, double groups, Flow& flow) {
        if (failed_) return;
        if (index == dimension_count_) {
            const double words = walk();
            flow.delivered += delivered * words;
            if (groups > 0.0) flow.words += groups * words;
            return;
        }
        for (int v = 0; v < variant_count_[index]; ++v) {
            const Variant& variant = variants_[index][v];
            chosen_[dimensions_[index]] = &variant;
            sum_kinds(index + 1, delivered * variant.delivered, groups * variant.groups, flow);
        }
    }

    // ---------------------------------------------------------------- one instance

    double walk() {
        for (int k = 0; k <= loop_count_; ++k) {
            std::uint32_t differs = 0;
            for (int i = 0; i < dimension_count_; ++i)
                differs |= (chosen_[dimensions_[i]]->differs >> k & 1U) << dimensions_[i];
            differs_[k] = differs;
            known_[k] = 0;
        }
        sub_count_ = 0;
        const Sub* all = sub(loop_count_, differs_[loop_count_]);
        if (all == nullptr) return 0.0;
        return (words_of(all->first) + all->words[0]) * unchanging_words_;
    }

    double words_of(const Tile& tile) const {
        double words = 1.0;
        for (int r = 0; r < ranks_; ++r) words *= static_cast<double>(tile.high[r] - tile.low[r]);
        return words;
    }

    // The loops inside walk loop k, when the dimensions in `last` are in their last chunk. Null when there is no room.
    const Sub* sub(int k, std::uint32_t last) {
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

    Sub* fresh(std::uint32_t last) {
        if (sub_count_ == kMaxSubs) return nullptr;
        Sub* result = &subs_[sub_count_++];
        result->last = last;
        return result;
    }

    const Sub* single(std::uint32_t last) {
        Sub* result = fresh(last);
        if (result == nullptr) return nullptr;
        for (int r = 0; r < ranks_; ++r) {
            std::int64_t low = 0;
            std::int64_t high = 1;
            for (const tilewright::Term& term : rank_[r]->terms) {
                const int d = term.dimension;
                const bool is_last = (last >> d & 1U) != 0 || (nest_.looped[child_] >> d & 1U) == 0;
                const double extent = is_last ? nest_.last[child_][d] : nest_.full[child_][d];
                const std::int64_t reach = term.coefficient * (static_cast<std::int64_t>(extent) - 1);
                (reach < 0 ? low : high) += reach;
            }
            result->first.low[r] = low;
            result->first.high[r] = high;
        }
        result->end = result->first;
        result->moves = false;
        result->words.fill(0.0);  // asked for where nothing moves the tensor at all
        return result;
    }

    const Sub* loop(int k, std::uint32_t last) {
        const WalkLoop& at = loops_[k];
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

    Transition between(const Tile& from, const Tile& to, const WalkLoop& at) const {
        Transition result{0, 1.0, 0.0};
        double overlap = 1.0;
        for (int r = 0; r < ranks_; ++r) {
            const std::int64_t shift = r == at.rank ? at.shift : 0;
            const std::int64_t low = to.low[r] + shift;
            const std::int64_t high = to.high[r] + shift;
            const std::int64_t doubled = low + high - from.low[r] - from.high[r];
            result.move += unit_[r] * (doubled >= 0 ? (doubled + 1) / 2 : (doubled - 1) / 2);
            result.whole *= static_cast<double>(high - low);
            overlap *= static_cast<double>(
                std::max<std::int64_t>(0, std::min(high, from.high[r]) - std::max(low, from.low[r])));
        }
        result.rest = result.whole - overlap;
        return result;
    }

    // Goes from tile to tile, remembering a direction.
    struct Walker {
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
    };

    void compose(const WalkLoop& at, std::int64_t trips, const Sub& a, const Sub& b, Sub& result) const {
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
            repeat(walker, again, a, alike - 1, before);
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

    // `times` more iterations. The direction at the end of an iteration repeats after at most two, with a period of at
    // most two. `before`: the direction one iteration before the end.
    static void repeat(Walker& walker, const Transition& again, const Sub& a, std::int64_t times,
                       std::int64_t& before) {
        std::int64_t earlier = kOtherDirection;
        double words_before = 0.0;
        for (std::int64_t i = 0; i < times; ++i) {
            const Walker start = walker;
            walker.go(again);
            walker.run(a);
            before = start.direction;
            const double words = walker.words - start.words;
            const std::int64_t left = times - 1 - i;
            if (walker.direction == start.direction) {
                walker.words += static_cast<double>(left) * words;
                return;
            }
            if (i >= 3 && walker.direction == earlier && left >= 2) {
                const std::int64_t pairs = left / 2;
                walker.words += static_cast<double>(pairs) * (words + words_before);
                i += 2 * pairs;
            }
            earlier = start.direction;
            words_before = words;
        }
    }

    static constexpr int kMaxKnown = 64;

    const Setup& setup_;
    const ImperfectNest& nest_;
    const int level_;
    const int child_;
    const TensorForm& form_;
    const tilewright::Tensor& tensor_;
    bool failed_ = false;

    int ranks_ = 0;
    std::array<const Rank*, kMaxRanks> rank_;
    std::array<std::int64_t, kMaxRanks> unit_;
    std::array<int, kMaxDimensions> rank_of_;
    std::array<std::int64_t, kMaxDimensions> coefficient_;
    double unchanging_words_ = 1.0;

    int innermost_ = 0;  // loop of the nest
    int loop_count_ = 0;
    std::array<WalkLoop, kMaxWalkLoops> loops_;

    int dimension_count_ = 0;
    std::array<int, kMaxDimensions> dimensions_;
    std::array<int, kMaxDimensions> variant_count_;
    std::array<std::array<Variant, kMaxVariants>, kMaxDimensions> variants_;
    std::array<const Variant*, kMaxDimensions> chosen_;

    std::array<std::uint32_t, kMaxWalkLoops + 1> differs_;  // inside walk loop k
    std::array<int, kMaxWalkLoops + 1> known_;
    std::array<std::array<const Sub*, kMaxKnown>, kMaxWalkLoops + 1> by_loop_;
    std::array<Sub, kMaxSubs> subs_;
    int sub_count_ = 0;
};

}  // namespace

std::optional<Flow> window_flow(const Setup& setup, const ImperfectNest& nest, int level, int tensor) {
    return WindowFlow(setup, nest, level, tensor).run();
}

}  // namespace tilewright::lean
