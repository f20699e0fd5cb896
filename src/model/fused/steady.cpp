#include "model/fused/steady.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>

#include "base/numbers/checked.hpp"

namespace tilewright::fused {
namespace {

std::size_t at(std::int64_t index) { return static_cast<std::size_t>(index); }

bool is_moved(const Box& box, const Box& from, const Place& by, std::int64_t times) {
    for (std::size_t a = 0; a < box.size(); ++a)
        if (box[a].low != from[a].low + times * by[a] || box[a].high != from[a].high + times * by[a]) return false;
    return true;
}

bool are_moved(const std::vector<Box>& boxes, const std::vector<Box>& from, const Place& by, std::int64_t times) {
    return std::ranges::equal(boxes, from,
                              [&](const Box& one, const Box& other) { return is_moved(one, other, by, times); });
}

std::optional<Place> moved(std::optional<Place> place, const Place& by, std::int64_t times) {
    if (place)
        for (std::size_t a = 0; a < by.size(); ++a) (*place)[a] += times * by[a];
    return place;
}

Region moved(const Region& region, const Place& by, std::int64_t times) {
    Region all = region;
    all.move(by, times);
    return all;
}

// How the iterations and words that a loop leads to move with its steps, from its last einsum backwards.
class Shifts {
   public:
    Shifts(const Cascade& cascade, const FusedTree& tree, int loop, const Iterations& first)
        : cascade_(cascade), tree_(tree), loop_(loop), first_(first), shift_(cascade.tensors.size()) {
        window_.around.resize(cascade.tensors.size());
    }

    std::optional<StepWindow> found() {
        const std::span<const int> leaves = tree_.leaves(loop_);
        for (auto leaf = leaves.rbegin(); leaf != leaves.rend(); ++leaf)
            if (!follow(*leaf, leaf == leaves.rbegin())) return std::nullopt;
        window_.last = std::numeric_limits<std::int64_t>::max();
        for (std::size_t t = 0; t < shift_.size(); ++t) {
            window_.shift.push_back(shift_[t].value_or(Place{}));
            if (window_.around[t]) keep_inside(static_cast<int>(t));
        }
        return std::move(window_);
    }

   private:
    const CascadeEinsum& einsum_at(int leaf) const { return cascade_.einsums[at(tree_.leaf(leaf)->einsum)]; }

    bool follow(int leaf, bool is_last) {
        const CascadeEinsum& one = einsum_at(leaf);
        std::vector<std::int64_t> by(one.einsum.dimensions.size(), 0);
        std::optional<Iterations> all;
        if (is_last) {
            const SharedLoop& loop = *tree_.loop(loop_);
            by[at(loop.dimension)] = loop.step;
            all = first_;
        } else if (!drive(one, by, all)) {
            return false;
        }
        if (!all) return true;  // no einsum of the step needs what it makes
        for (int t = 0; t < one.einsum.tensor_count(); ++t) {
            if (!touch(one, t, by, *all)) return false;
            if (one.einsum.tensors[at(t)].written && !says_all(one, t, by)) {
                if (!is_last) return false;
                window_.sums = true;
            }
        }
        return true;
    }

    // What later einsums need of its results says which of its iterations run, and how these move.
    bool drive(const CascadeEinsum& one, std::vector<std::int64_t>& by, std::optional<Iterations>& all) const {
        std::vector<bool> known(by.size(), false);
        for (int t = 0; t < one.einsum.tensor_count(); ++t) {
            const Access& access = one.accesses[at(t)];
            const std::optional<Box>& need = window_.around[at(access.tensor)];
            if (!one.einsum.tensors[at(t)].written || !need) continue;
            const Place& shift = *shift_[at(access.tensor)];
            if (access.anywhere && shift != Place{}) return false;
            for (std::size_t a = 0; a < access.coordinates.size(); ++a)
                if (!turn(one.einsum, access.coordinates[a], shift[a], by, known)) return false;
            const Iterations more = iterations_for(one, t, *need, false);
            if (!all) all = more;
            for (std::size_t d = 0; d < more.size(); ++d)
                (*all)[d] = {std::min((*all)[d].low, more[d].low), std::max((*all)[d].high, more[d].high)};
        }
        return true;
    }

    // An axis that moves has one dimension on it, word by word.
    static bool turn(const Einsum& einsum, const Coordinate& coordinate, std::int64_t shift,
                     std::vector<std::int64_t>& by, std::vector<bool>& known) {
        int moving = 0;
        for (const Term& term : coordinate.terms) {
            const bool is_long = einsum.dimensions[at(term.dimension)].extent > 1;
            if (shift != 0 && !is_long) continue;
            if (shift != 0 && (term.coefficient != 1 || ++moving > 1)) return false;
            const std::size_t d = at(term.dimension);
            if (known[d] && by[d] != shift) return false;
            known[d] = true;
            by[d] = shift;
        }
        return shift == 0 || moving == 1;
    }

    bool touch(const CascadeEinsum& one, int operand, const std::vector<std::int64_t>& by, const Iterations& all) {
        const Access& access = one.accesses[at(operand)];
        const CascadeTensor& tensor = cascade_.tensors[at(access.tensor)];
        Place shift{};
        if (!access.anywhere)
            for (std::size_t a = 0; a < access.coordinates.size(); ++a)
                for (const Term& term : access.coordinates[a].terms)
                    shift[a] = checked_add(shift[a], checked_mul(term.coefficient, by[at(term.dimension)]));
        std::optional<Place>& known = shift_[at(access.tensor)];
        if (known && *known != shift) return false;
        known = shift;
        extend(window_.around[at(access.tensor)], touched_without_borders(one, operand, all, tensor));
        return true;
    }

    // Every dimension that moves is on an axis of the result.
    static bool says_all(const CascadeEinsum& one, int operand, const std::vector<std::int64_t>& by) {
        const Access& access = one.accesses[at(operand)];
        if (access.anywhere) return true;
        for (std::size_t d = 0; d < by.size(); ++d) {
            const bool is_on_axis = std::ranges::any_of(access.coordinates, [&](const Coordinate& coordinate) {
                return std::ranges::any_of(coordinate.terms,
                                           [&](const Term& term) { return term.dimension == static_cast<int>(d); });
            });
            if (by[d] != 0 && !is_on_axis) return false;
        }
        return true;
    }

    // Borders are those of the tensor and of what each einsum writes of it.
    void keep_inside(int t) {
        const CascadeTensor& tensor = cascade_.tensors[at(t)];
        for (std::size_t a = 0; a < tensor.shape.size(); ++a) {
            const std::int64_t by = window_.shift[at(t)][a];
            if (by == 0) continue;
            Interval inside{0, tensor.shape[a] - 1};
            for (const TensorUse& use : tensor.writers) {
                const CascadeEinsum& writer = cascade_.einsums[at(use.einsum)];
                const std::optional<Box> part = touched(writer, use.operand, all_iterations(writer.einsum), tensor);
                if (!part) return forbid();
                inside = {std::max(inside.low, (*part)[a].low), std::min(inside.high, (*part)[a].high)};
            }
            const Interval& around = (*window_.around[at(t)])[a];
            if (by < 0 || around.high > inside.high) return forbid();
            if (around.low < inside.low) window_.first = std::max(window_.first, ceil_div(inside.low - around.low, by));
            window_.last = std::min(window_.last, (inside.high - around.high) / by);
        }
    }

    void forbid() { window_.last = -1; }

    const Cascade& cascade_;
    const FusedTree& tree_;
    int loop_;
    const Iterations& first_;
    std::vector<std::optional<Place>> shift_;
    StepWindow window_;
};

}  // namespace

std::optional<StepWindow> step_window(const Cascade& cascade, const FusedTree& tree, int loop,
                                      const Iterations& first) {
    return Shifts(cascade, tree, loop, first).found();
}

SteadyLoop::SteadyLoop(const Cascade& cascade, const FusedTree& tree, const std::vector<StoreCounts>& stores, int loop,
                       const Iterations& first)
    : stores_(stores),
      window_(step_window(cascade, tree, loop, first)),
      low_(first[at(tree.loop(loop)->dimension)].low) {
    if (!window_) return;
    const SharedLoop& shared = *tree.loop(loop);
    const Einsum& last = cascade.einsums[at(tree.last_einsum(loop))].einsum;
    last_step_ = ceil_div(last.dimensions[at(shared.dimension)].extent - low_, shared.step) - 1;
    for (std::size_t i = 0; i < stores.size(); ++i) {
        if (tree.is_inside(stores[i].store, loop))
            inside_.push_back(i);
        else if (window_->around[at(stores[i].tensor)])
            around_.push_back(i);
    }
    for (const CascadeEinsum& one : cascade.einsums) {
        int result = 0;
        while (!one.einsum.tensors[at(result)].written) ++result;
        result_.push_back(one.accesses[at(result)].tensor);
    }
}

bool SteadyLoop::may_repeat(std::int64_t step) const {
    if (!window_ || step < window_->first || step > window_->last) return false;
    return !window_->sums || (step < last_step_ && !(low_ == 0 && step == 0));
}

Box SteadyLoop::window(int tensor, std::int64_t step) const {
    return moved(*window_->around[at(tensor)], window_->shift[at(tensor)], step);
}

std::vector<Box> SteadyLoop::looked_at(std::size_t entry, std::int64_t step, const State& state) const {
    std::vector<Box> boxes;
    const Box inside = window(stores_[entry].tensor, step);
    for (const Box& box : state[entry].held.boxes())
        if (const std::optional<Box> seen = intersection(box, inside)) boxes.push_back(*seen);
    return boxes;
}

bool SteadyLoop::begins_alike(std::int64_t step, const std::vector<std::int64_t>& extents, const State& state) const {
    if (!remembered_ || !may_repeat(step) || extents != remembered_->extents) return false;
    const std::int64_t times = step - remembered_->step;
    for (const std::size_t i : inside_) {
        const Holding& before = remembered_->before[i];
        const Place& by = window_->shift[at(stores_[i].tensor)];
        if (state[i].moved != before.moved || state[i].at != moved(before.at, by, times)) return false;
        if (!are_moved(state[i].held.boxes(), before.held.boxes(), by, times)) return false;
    }
    return std::ranges::all_of(around_, [&](std::size_t i) {
        return are_moved(looked_at(i, step, state), remembered_->seen[i], window_->shift[at(stores_[i].tensor)], times);
    });
}

void SteadyLoop::remember(std::int64_t step, std::vector<std::int64_t> extents, const State& before, const State& after,
                          Tally tally, const Touches* touches) {
    Remembered one{step, std::move(extents), State(before.size()), State(before.size()), {}, {}, std::move(tally), {}};
    one.seen.resize(before.size());
    one.added.resize(before.size());
    for (const std::size_t i : inside_) {
        one.before[i] = before[i];
        one.after[i] = after[i];
    }
    for (const std::size_t i : around_) {
        one.seen[i] = looked_at(i, step, before);
        for (const Box& box : after[i].held.boxes())
            for (const Box& piece : before[i].held.missing(box)) one.added[i].push_back(piece);
    }
    if (touches != nullptr) one.touches = *touches;
    remembered_ = std::move(one);
}

void SteadyLoop::repeat(std::int64_t step, State& state, Tally& tally, Touches* touches) const {
    const std::int64_t times = step - remembered_->step;
    for (const std::size_t i : inside_) {
        const Place& by = window_->shift[at(stores_[i].tensor)];
        const Holding& after = remembered_->after[i];
        state[i] = {moved(after.held, by, times), moved(after.at, by, times), after.moved, {}};
    }
    for (const std::size_t i : around_)
        for (const Box& piece : remembered_->added[i])
            state[i].held.add(moved(piece, window_->shift[at(stores_[i].tensor)], times));
    if (touches != nullptr) {
        for (std::size_t t = 0; t < touches->reads.size(); ++t) {
            const Place& by = window_->shift[t];
            if (const auto& box = remembered_->touches.reads[t]) extend(touches->reads[t], moved(*box, by, times));
            if (const auto& box = remembered_->touches.makes[t]) extend(touches->makes[t], moved(*box, by, times));
        }
        return;
    }
    tally.add(remembered_->tally,
              [&](std::size_t e, const Box& made) { return moved(made, window_->shift[at(result_[e])], times); });
}

namespace {

int result_operand_of(const CascadeEinsum& einsum) {
    int operand = 0;
    while (!einsum.einsum.tensors[operand].written) ++operand;
    return operand;
}

const CascadeEinsum& einsum_at(const Cascade& cascade, int e) { return cascade.einsums[e]; }

/// The box around what an operand reaches.
std::optional<Box> reach(const Cascade& cascade, int e, int operand, const Iterations& box) {
    const CascadeEinsum& einsum = einsum_at(cascade, e);
    const int tensor = einsum.accesses[operand].tensor;
    return touched(einsum, operand, box, cascade.tensors[tensor]);
}

/// What an einsum makes of these words, by tensor.
std::optional<Box> made_of(const Cascade& cascade, int e, const std::map<int, Box>& words) {
    const CascadeEinsum& einsum = einsum_at(cascade, e);
    std::optional<Box> made;
    for (int t = 0; t < einsum.einsum.tensor_count(); ++t) {
        const auto read = words.find(einsum.accesses[t].tensor);
        if (einsum.einsum.tensors[t].written || read == words.end()) continue;
        extend(made, reach(cascade, e, result_operand_of(einsum), iterations_for(einsum, t, read->second, true)));
    }
    return made;
}

}  // namespace

int summing_operand(const Cascade& cascade, const UnfinishedStatistics& statistics) {
    return result_operand_of(einsum_at(cascade, statistics.summing()));
}

void Corrections::changed(const Cascade& cascade, const UnfinishedStatistics& statistics, const Iterations& box) {
    const CascadeEinsum& own = einsum_at(cascade, statistics.einsum);
    std::map<int, Box> words;
    for (int t = 0; t < own.einsum.tensor_count(); ++t)
        if (const auto made = reach(cascade, statistics.einsum, t, box); made && own.einsum.tensors[t].written)
            words[own.accesses[t].tensor] = *made;
    std::optional<Box> sums;
    for (const int e : statistics.readers) {
        sums = made_of(cascade, e, words);
        const CascadeEinsum& reader = einsum_at(cascade, e);
        if (sums) words[reader.accesses[result_operand_of(reader)].tensor] = *sums;
    }
    if (!sums) return;
    for (const Box& piece : begun_.boxes())
        if (const std::optional<Box> both = intersection(piece, *sums)) old_.add(*both);
}

std::int64_t Corrections::summed(const Box& part, bool goes_on) {
    std::int64_t count = 0;
    Region touched_now;
    touched_now.add(part);
    Region left;
    for (const Box& piece : old_.boxes()) {
        if (const std::optional<Box> both = intersection(piece, part); both && goes_on) count += words(*both);
        for (const Box& rest : touched_now.missing(piece)) left.add(rest);
    }
    old_ = left;
    begun_.add(part);
    return count;
}

}  // namespace tilewright::fused
