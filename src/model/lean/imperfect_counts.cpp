// Closed forms for tensors without overlapping tiles, in nests with remainders.
//
// An instance is sent a tile whenever its place in a relevant dimension changes. If every loop at or outside the
// innermost relevant one did that, the words would be a product over dimensions: the words of all tiles of a relevant
// one, the trips of those loops of another. The product overcounts in one case: an irrelevant loop steps while every
// relevant dimension inside it has a single tile; per loop that is such a product again. Sums over instances are
// products too: every index of a spatial loop is before the last one, the last one, or idle in the last chunk.
// Neighbours differing in irrelevant indices only are served together, whenever index 0 is: one that idles resumes with
// the others' words. The same holds for all blocks between a memory and requesters past others.
#include <algorithm>
#include <bit>

#include "model/lean/imperfect.hpp"

namespace tilewright::lean {
namespace {

// The value of a full chunk and of the last one.
struct Pair {
    double full = 1.0;
    double last = 1.0;
};

Pair sum_over(const Pair& inside, const ImperfectLoop& loop) {
    return {loop.extent * inside.full, (loop.remainder - 1.0) * inside.full + inside.last};
}

// Value of a spatial loop's index 0.
Pair at_index_0(const Pair& inside, const ImperfectLoop& loop) {
    return loop.remainder > 1.0 ? Pair{inside.full, inside.full} : inside;
}

class PlainCount {
   public:
    // `asked`: by memory `child` through the blocks below this memory and those inside. `shared`: irrelevant indices
    // other than 0 of these blocks are left out.
    PlainCount(const Setup& setup, const ImperfectNest& nest, int asked, int child, int tensor, bool shared)
        : tensor_(setup.tensors[tensor]),
          nest_(nest),
          asked_(asked),
          child_(child),
          shared_(shared),
          relevant_(tensor_.relevant) {
        innermost_ = nest.outside[child];
        while (innermost_ < nest.loop_count && (nest.loops[innermost_].spatial || !is_relevant(innermost_)))
            ++innermost_;
    }

    // `kept`: some tile survives the advance of a loop that normally moves it.
    double words(bool& kept) const {
        double words = 1.0;
        for (const Term& term : tensor_.terms) words *= covered(term);
        for (std::uint32_t left = nest_.looped[child_] & ~relevant_; left != 0; left &= left - 1)
            words *= trips(std::countr_zero(left), innermost_);
        for (int k = innermost_ + 1; k < nest_.loop_count; ++k)
            if (!nest_.loops[k].spatial && !is_relevant(k)) {
                const double fewer = kept_when(k);
                kept = kept || fewer != 0.0;
                words -= fewer;
            }
        return words;
    }

    // Repacking changes nothing if no instance enters or leaves a shorter step with a tile it could keep: the imperfect
    // dimension moves the tensor or steps outside a loop that does, or the instance stays in every relevant dimension.
    // The number of instances resuming with their tile is the same either way, but they may belong to other multicasts.
    bool repacking_shows(bool kept) const {
        for (int l = 0; l < child_; ++l) {
            const Repack& repack = nest_.repack[l];
            if (repack.imperfect == 0) continue;
            if (repack.deep || (kept && !idle_alike(l))) return true;
            if ((repack.outside & relevant_) == 0) continue;
            for (std::uint32_t left = repack.imperfect & ~relevant_; left != 0; left &= left - 1)
                for (int j = nest_.from[l + 1][std::countr_zero(left)]; j < nest_.loop_count; j = nest_.loops[j].next)
                    if (!nest_.loops[j].spatial && j < innermost_) return true;
        }
        return false;
    }

    // One relevant loop with a remainder, and no multicast in this block.
    bool idle_alike(int level) const {
        int imperfect = 0;
        for (int j = nest_.outside[level + 1]; j < nest_.temporal[level]; ++j) {
            if (level >= asked_ && !is_relevant(j)) return false;
            if (nest_.loops[j].remainder == nest_.loops[j].extent) continue;
            if (!is_relevant(j)) return false;
            ++imperfect;
        }
        return imperfect == 1;
    }

   private:
    bool is_relevant(int loop) const { return (relevant_ >> nest_.loops[loop].dimension & 1U) != 0; }
    double size(const Term& term, double extent) const { return 1.0 + term.reach * (extent - 1.0); }

    double covered(const Term& term) const {
        const int d = term.dimension;
        return (nest_.tiles[child_][d] - 1.0) * size(term, nest_.full[child_][d]) + size(term, nest_.last[child_][d]);
    }

    // Of `inside` at a spatial loop: the sum over the counted indices.
    Pair spread(const Pair& inside, const ImperfectLoop& loop, bool is_irrelevant) const {
        return shared_ && loop.level >= asked_ && is_irrelevant ? at_index_0(inside, loop) : sum_over(inside, loop);
    }

    // Folds outwards from the loop after `j`.
    double fold(Pair value, int j) const {
        for (; j < nest_.loop_count; j = nest_.loops[j].next) value = sum_over(value, nest_.loops[j]);
        return value.last;
    }

    // Up to the first loop of `d` at or after `end`: whether a chunk has work (1 or 0), summed over indices.
    Pair active(int d, int end, int& j) const {
        Pair value;
        for (j = nest_.from[child_][d]; j < end; j = nest_.loops[j].next) {
            const ImperfectLoop& loop = nest_.loops[j];
            if (loop.spatial)
                value = spread(value, loop, true);
            else if (loop.remainder > 1.0)
                value.last = value.full;
        }
        return value;
    }

    // Trips of the loops of an irrelevant dimension outside loop `cut`.
    double trips(int d, int cut) const {
        int j = 0;
        Pair value = active(d, std::min(cut + 1, nest_.loop_count), j);
        for (; j < nest_.loop_count; j = nest_.loops[j].next) {
            const ImperfectLoop& loop = nest_.loops[j];
            value = loop.spatial ? spread(value, loop, true) : sum_over(value, loop);
        }
        return value.last;
    }

    // Words saved when irrelevant loop k advances.
    double kept_when(int k) const {
        double words = 1.0;
        for (const Term& term : tensor_.terms) {
            words *= single(term, k);
            if (words == 0.0) return 0.0;
        }
        const int own = nest_.loops[k].dimension;
        for (std::uint32_t left = nest_.looped[child_] & ~relevant_; left != 0; left &= left - 1) {
            const int d = std::countr_zero(left);
            words *= d == own ? advances(k) : trips(d, k);
        }
        return words;
    }

    double advances(int k) const {
        const ImperfectLoop& loop = nest_.loops[k];
        int j = 0;
        const Pair inside = active(loop.dimension, k, j);
        Pair value{(loop.extent - 1.0) * inside.full,
                   loop.remainder > 1.0 ? (loop.remainder - 2.0) * inside.full + inside.last : 0.0};
        for (j = loop.next; j < nest_.loop_count; j = nest_.loops[j].next) {
            const ImperfectLoop& outer = nest_.loops[j];
            value = outer.spatial ? spread(value, outer, true) : sum_over(value, outer);
        }
        return value.last;
    }

    // Words of the tiles of a relevant dimension, summed over the chunks of loop k with a single tile.
    double single(const Term& term, int k) const {
        const int d = term.dimension;
        const double size_full = size(term, nest_.full[child_][d]);
        double indices = 1.0;
        bool one_full = true;                              // a full chunk has one tile
        double idle = 0.0;                                 // indices without a tile in the last chunk
        double words = size(term, nest_.last[child_][d]);  // of the single tiles in the last chunk
        int j = nest_.from[child_][d];
        for (; j < k; j = nest_.loops[j].next) {
            const ImperfectLoop& loop = nest_.loops[j];
            if (loop.spatial) {
                words += one_full ? (loop.remainder - 1.0) * indices * size_full : 0.0;
                idle += (loop.extent - loop.remainder) * indices;
                indices *= loop.extent;
                continue;
            }
            if (loop.remainder > 1.0) {
                words = loop.remainder == 2.0 && one_full ? idle * size_full : 0.0;
                idle = 0.0;
            }
            one_full = false;
        }
        if (!one_full && words == 0.0) return 0.0;
        return fold({one_full ? indices * size_full : 0.0, words}, j);
    }

    const TensorForm& tensor_;
    const ImperfectNest& nest_;
    const int asked_;
    const int child_;
    const bool shared_;
    const std::uint32_t relevant_;
    int innermost_;  // relevant temporal loop outside the child, or past the end
};

bool multicasts(const ImperfectNest& nest, int level, int asking, std::uint32_t relevant) {
    for (int j = nest.outside[asking]; j < nest.temporal[level]; ++j)
        if (nest.loops[j].spatial && (relevant >> nest.loops[j].dimension & 1U) == 0) return true;
    return false;
}

}  // namespace

bool spreads_a_rank_twice(const TensorForm& form, const ImperfectNest& nest, int level) {
    std::uint32_t spread = 0;
    for (int j = nest.outside[level + 1]; j < nest.temporal[level]; ++j) spread |= 1U << nest.loops[j].dimension;
    spread &= form.relevant;
    if (form.plain || (spread & (spread - 1)) == 0) return false;
    if (form.tangled) return true;
    int term = 0;
    for (const int end : form.rank_ends) {
        int ways = 0;
        for (; term < end; ++term) ways += static_cast<int>(spread >> form.terms[term].dimension & 1U);
        if (ways > 1) return true;
    }
    return false;
}

std::optional<double> operand_words(const Setup& setup, const ImperfectNest& nest, int level, int tensor) {
    const TensorForm& form = setup.tensors[tensor];
    const int units = static_cast<int>(setup.levels.size());
    for (int l = level; l < units; ++l)
        if (spreads_a_rank_twice(form, nest, l)) return std::nullopt;
    double words = static_cast<double>(setup.operations);
    for (std::uint32_t left = nest.looped[units] & ~form.relevant; left != 0; left &= left - 1) {
        const int d = std::countr_zero(left);
        Pair moments;
        for (int j = nest.from[units][d]; j < nest.loop_count; j = nest.loops[j].next) {
            const ImperfectLoop& loop = nest.loops[j];
            moments = loop.spatial && loop.level >= level ? at_index_0(moments, loop) : sum_over(moments, loop);
        }
        words = words / setup.extents[d] * moments.last;
    }
    return words;
}

std::optional<Flow> plain_flow(const Setup& setup, const ImperfectNest& nest, int level, int asking, int tensor) {
    Flow flow;
    bool kept = false;
    const PlainCount each(setup, nest, level, asking, tensor, false);
    flow.delivered = each.words(kept);
    flow.words = multicasts(nest, level, asking, setup.tensors[tensor].relevant)
                     ? PlainCount(setup, nest, level, asking, tensor, true).words(kept)
                     : flow.delivered;
    if (each.repacking_shows(kept)) return std::nullopt;
    return flow;
}

std::optional<double> plain_distinct_words(const Setup& setup, const ImperfectNest& nest, int level, int inner,
                                           int tensor) {
    const TensorForm& form = setup.tensors[tensor];
    for (int l = 0; l < level; ++l)
        if (nest.repack[l].deep ||
            ((nest.repack[l].imperfect & ~form.relevant) != 0 && (nest.repack[l].outside & form.relevant) != 0))
            return std::nullopt;
    double words = 1.0;
    for (const Term& term : form.terms) {
        const int d = term.dimension;
        const double full = 1.0 + term.reach * (nest.full[inner][d] - 1.0);
        const double last = 1.0 + term.reach * (nest.last[inner][d] - 1.0);
        words *= (nest.tiles[inner][d] - 1.0) * full + last;
    }
    for (std::uint32_t left = nest.looped[level] & ~form.relevant; left != 0; left &= left - 1)
        words *= nest.ways[level][std::countr_zero(left)];
    return words;
}

}  // namespace tilewright::lean
