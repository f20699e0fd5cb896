#include "model/fused/walk.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "base/numbers/checked.hpp"
#include "mapping/fused/unfinished.hpp"
#include "model/fused/steady.hpp"
#include "model/fused/windows.hpp"

namespace tilewright::fused {
namespace {

Place start_of(const Box& box) {
    Place place{};
    for (std::size_t a = 0; a < box.size(); ++a) place[a] = box[a].low;
    return place;
}

// Statistics that are read unfinished.
struct Unfinished {
    UnfinishedStatistics what;
    int slot = -1;  // of the home of their first result
    Corrections corrections;
};

class FusedWalk {
   public:
    FusedWalk(const Cascade& cascade, const FusedTree& tree, const StopSource* stop, bool is_steady,
              const PartialBits& partial)
        : cascade_(cascade),
          tree_(tree),
          stop_(stop),
          partial_(partial),
          tally_(cascade.einsums.size(), 0),
          is_steady_(is_steady) {
        for (int i = 0; i < tree.node_count(); ++i)
            if (const SharedStore* store = tree.store(i))
                for (const int t : store->tensors) slots_.push_back({.store = i, .tensor = t});
        for (StoreCounts& slot : slots_) slot.outer = outer_slot(slot);
        tally_.moved.resize(slots_.size());
        for (const int leaf : tree.all_leaves()) find_chains(leaf);
        for (const UnfinishedStatistics& one : all_read_unfinished(cascade, tree))
            unfinished_.push_back({one, slot_of(one.home, result_of(one)), {}});
    }

    WalkCounts run() {
        State state(slots_.size());
        visit(0, all_iterations(einsum(tree_.last_einsum(0)).einsum), state, nullptr);
        counts_.calls = std::move(tally_.calls);
        counts_.operations = std::move(tally_.operations);
        for (std::size_t i = 0; i < slots_.size(); ++i) {
            slots_[i].words_in = tally_.moved[i].in;
            slots_[i].words_back = tally_.moved[i].back;
            slots_[i].words_out = tally_.moved[i].out;
            slots_[i].words_finished = tally_.moved[i].finished;
        }
        for (int e = 0; e < cascade_.einsum_count(); ++e) counts_.once_operations.push_back(once_operations(e));
        check_results(state);
        counts_.stores = std::move(slots_);
        return std::move(counts_);
    }

   private:
    const CascadeEinsum& einsum(int e) const { return cascade_.einsums[e]; }
    const CascadeTensor& tensor(int t) const { return cascade_.tensors[t]; }
    const CascadeEinsum& einsum_at(int leaf) const { return einsum(tree_.leaf(leaf)->einsum); }
    int result_of(const UnfinishedStatistics& one) const {
        return einsum(one.einsum).accesses[one.result_operand].tensor;
    }
    const StoreCounts& slot(int i) const { return slots_[i]; }
    static Holding& of(State& state, int i) { return state[i]; }

    // ---------------------------------------------------------------- what lies where

    int slot_of(int store, int t) const {
        for (std::size_t i = 0; i < slots_.size(); ++i)
            if (slots_[i].store == store && slots_[i].tensor == t) return static_cast<int>(i);
        return -1;
    }

    int outer_slot(const StoreCounts& inner) const {
        for (int at = tree_.parent(inner.store); at >= 0; at = tree_.parent(at))
            if (const int found = slot_of(at, inner.tensor); found >= 0) return found;
        return -1;
    }

    void find_chains(int leaf) {
        std::vector<int>& chains = innermost_[leaf];
        for (const Access& access : einsum_at(leaf).accesses)
            chains.push_back(slot_of(tree_.chain(leaf, access.tensor).back(), access.tensor));
    }

    bool is_home(int i) const { return slot(i).outer < 0; }
    bool is_written_inside(int i) const { return tree_.is_written_inside(slot(i).store, slot(i).tensor); }
    /// The outermost memory, outside all loops: it holds what there is.
    bool holds_all(int i) const {
        return tree_.store(slot(i).store)->memory == 0 && !tree_.is_in_a_loop(slot(i).store);
    }

    // ---------------------------------------------------------------- the tree

    void visit(int node, const Iterations& box, State& state, Touches* dry) {
        if (stop_ != nullptr && stop_->requested()) throw Stopped();
        if (tree_.leaf(node) != nullptr) return call(node, box, state, dry);
        if (tree_.is_split(node))
            return tree_.is_in_a_loop(node) ? step(node, box, state, dry) : groups(node, state, dry);
        if (tree_.store(node) != nullptr) return visit(enter(node, box, state, dry), box, state, dry);
        march(node, box, state, dry);
    }

    void march(int node, const Iterations& box, State& state, Touches* dry) {
        const SharedLoop& loop = *tree_.loop(node);
        const auto d = static_cast<std::size_t>(loop.dimension);
        const int below = tree_.children(node).front();
        const auto steps = ceil_div(box[d].high - box[d].low + 1, loop.step);
        const auto chunk_of = [&](std::int64_t step) {
            Iterations chunk = box;
            const std::int64_t low = box[d].low + step * loop.step;
            chunk[d] = {low, std::min(low + loop.step - 1, box[d].high)};
            return chunk;
        };
        constexpr std::int64_t kFewest = 3;
        std::optional<SteadyLoop> steady;
        if (is_steady_ && steps >= kFewest && unfinished_.empty())
            steady.emplace(cascade_, tree_, slots_, node, chunk_of(0));
        for (std::int64_t step = 0; step < steps; ++step) {
            throw_if_stopped(stop_);
            const Iterations chunk = chunk_of(step);
            if (!steady || !steady->may_repeat(step))
                visit(below, chunk, state, dry);
            else if (steady->begins_alike(step, extents_of(chunk), state))
                steady->repeat(step, state, tally_, dry);
            else
                walk_and_remember(*steady, step, below, chunk, state, dry);
        }
    }

    void walk_and_remember(SteadyLoop& steady, std::int64_t step, int below, const Iterations& chunk, State& state,
                           Touches* dry) {
        const State before = state;
        if (dry != nullptr) {
            Touches touches = nothing();
            visit(below, chunk, state, &touches);
            for (std::size_t t = 0; t < touches.reads.size(); ++t) {
                extend(dry->reads[t], touches.reads[t]);
                extend(dry->makes[t], touches.makes[t]);
            }
            return steady.remember(step, extents_of(chunk), before, state, no_counts(), &touches);
        }
        Tally others = std::exchange(tally_, no_counts());
        visit(below, chunk, state, nullptr);
        others.add(tally_, [](std::size_t, const Box& made) { return made; });
        Tally own = std::exchange(tally_, std::move(others));
        steady.remember(step, extents_of(chunk), before, state, std::move(own), nullptr);
    }

    Tally no_counts() const { return {cascade_.einsums.size(), slots_.size()}; }

    // Nothing in the stores of a branch survives from one run of it to the next.
    void run_branch(int branch, const Iterations& box, State& state, Touches* dry) {
        for (std::size_t i = 0; i < slots_.size(); ++i)
            if (tree_.is_inside(slots_[i].store, branch)) state[i] = {};
        visit(branch, box, state, dry);
    }

    // Outside all loops the last einsum of each branch makes all of its result.
    void groups(int split, State& state, Touches* dry) {
        for (const int branch : tree_.children(split))
            run_branch(branch, all_iterations(einsum(tree_.last_einsum(branch)).einsum), state, dry);
    }

    // One step: needs go from the last branch backwards, then the branches run.
    void step(int split, const Iterations& box, State& state, Touches* dry) {
        const std::vector<int>& branches = tree_.children(split);
        std::vector<std::optional<Iterations>> boxes(branches.size());
        boxes.back() = box;
        Touches needs = nothing();
        for (std::size_t b = branches.size(); b-- > 0;) {
            if (b + 1 < branches.size()) boxes[b] = needed_of(branches[b], needs, state);
            if (!boxes[b] || b == 0) continue;
            const Touches touched = touches_of(branches[b], *boxes[b], state);
            for (std::size_t t = 0; t < needs.reads.size(); ++t) extend(needs.reads[t], touched.reads[t]);
        }
        for (std::size_t b = 0; b < branches.size(); ++b)
            if (boxes[b]) run_branch(branches[b], *boxes[b], state, dry);
    }

    std::optional<Iterations> needed_of(int branch, const Touches& needs, const State& state) const {
        for (const Unfinished& one : unfinished_)
            if (one.what.branch == branch) return rows_needed(one, needs, state);
        return needed(tree_.last_einsum(branch), needs, state);
    }

    // Statistics that are read unfinished take in what the step needs of their rows, less what is in them.
    std::optional<Iterations> rows_needed(const Unfinished& one, const Touches& needs, const State& state) const {
        const CascadeEinsum& statistics = einsum(one.what.einsum);
        const std::optional<Box>& need = needs.reads[one.what.rows];
        std::optional<Box> lacks;
        if (need)
            for (const Box& piece : state[one.slot].summed.missing(*need)) extend(lacks, piece);
        if (!lacks) return std::nullopt;
        return iterations_for(statistics, one.what.row_operand, *lacks, true);
    }

    // The iterations of an einsum that make what is needed of its results less what their stores hold.
    std::optional<Iterations> needed(int e, const Touches& needs, const State& state) const {
        std::optional<Iterations> box;
        const CascadeEinsum& one = einsum(e);
        for (int t = 0; t < one.einsum.tensor_count(); ++t) {
            if (!one.einsum.tensors[t].written) continue;
            const int shared = one.accesses[t].tensor;
            const std::optional<Box> makes = lacking(e, t, needs.reads[shared], state);
            if (!makes) continue;
            const Iterations more = iterations_for(one, t, *makes, true);
            if (!box) box = more;
            for (std::size_t d = 0; d < more.size(); ++d)
                (*box)[d] = {std::min((*box)[d].low, more[d].low), std::max((*box)[d].high, more[d].high)};
        }
        return box;
    }

    // The hull of what of the need this einsum writes and its outermost store lacks.
    std::optional<Box> lacking(int e, int operand, const std::optional<Box>& need, const State& state) const {
        if (!need) return std::nullopt;
        const int shared = einsum(e).accesses[operand].tensor;
        const std::optional<Box> own = intersection(*need, written_by(e, operand));
        if (!own) return std::nullopt;
        const int home = slot_of(tree_.home(shared), shared);
        std::optional<Box> lacks;
        for (const Box& piece : state[home].held.missing(*own)) extend(lacks, piece);
        return lacks;
    }

    Box written_by(int e, int operand) const {
        const CascadeEinsum& one = einsum(e);
        const int shared = one.accesses[operand].tensor;
        return touched(one, operand, all_iterations(one.einsum), tensor(shared)).value();
    }

    // ---------------------------------------------------------------- what a subtree touches

    Touches nothing() const {
        return {std::vector<std::optional<Box>>(cascade_.tensors.size()),
                std::vector<std::optional<Box>>(cascade_.tensors.size())};
    }

    // A run that counts nothing and leaves the state as it is.
    Touches touches_of(int node, const Iterations& box, const State& state) {
        Touches touches = nothing();
        State copy = tree_.leaf(node) != nullptr ? State{} : state;
        visit(node, box, copy, &touches);
        return touches;
    }

    void touch(int leaf, const Iterations& box, State& state, Touches& touches) {
        const CascadeEinsum& one = einsum_at(leaf);
        for (int t = 0; t < one.einsum.tensor_count(); ++t) {
            const int shared = one.accesses[t].tensor;
            const std::optional<Box> box_touched = touched(one, t, box, tensor(shared));
            const bool written = one.einsum.tensors[t].written;
            extend((written ? touches.makes : touches.reads)[shared], box_touched);
            if (written && box_touched && !state.empty())
                of(state, slot_of(tree_.home(shared), shared)).held.add(*box_touched);
        }
        if (!state.empty()) sum_rows(leaf, box, state);
    }

    // ---------------------------------------------------------------- statistics that are read unfinished

    void sum_rows(int leaf, const Iterations& box, State& state) const {
        for (const Unfinished& one : unfinished_) {
            if (one.what.leaf != leaf) continue;
            const auto rows = touched(einsum_at(leaf), one.what.row_operand, box, tensor(one.what.rows));
            if (rows) of(state, one.slot).summed.add(*rows);
        }
    }

    // Of rows whose statistics are gone nothing is in them.
    void forget_rows(int i, Holding& holding) const {
        for (const Unfinished& one : unfinished_) {
            if (one.slot != i) continue;
            const CascadeEinsum& statistics = einsum(one.what.einsum);
            Region left;
            for (const Box& rows : holding.held.boxes()) {
                const Iterations all = iterations_for(statistics, one.what.result_operand, rows, true);
                const std::optional<Box> whole = touched(statistics, one.what.row_operand, all, tensor(one.what.rows));
                if (!whole) continue;
                for (const Box& piece : holding.summed.boxes())
                    if (const std::optional<Box> both = intersection(piece, *whole)) left.add(*both);
            }
            holding.summed = left;
        }
    }

    // Statistics that change make old what was summed with them; whoever goes on with an old sum corrects it.
    void correct(int leaf, const Iterations& box, const LeafCall& call) {
        for (Unfinished& one : unfinished_) {
            if (one.what.leaf == leaf && !call.resumed.empty()) one.corrections.changed(cascade_, one.what, box);
            if (tree_.leaf(leaf)->einsum != one.what.summing()) continue;
            const int sum = summing_operand(cascade_, one.what);
            const int store = innermost_.at(leaf)[sum];
            const std::optional<Box> part = touched(einsum_at(leaf), sum, box, tensor(slot(store).tensor));
            if (!part) continue;
            const std::int64_t old = one.corrections.summed(*part, !call.resumed.empty());
            StoreCounts& counts = slots_[store];
            counts.words_corrected = checked_add(counts.words_corrected, checked_mul(old, repeats(store)));
        }
    }

    // ---------------------------------------------------------------- stores

    // Enters a store and those directly inside it; returns the node below. What is made in a step depends on the
    // outermost stores alone, so these take their next tile first, consumers before producers.
    int enter(int node, const Iterations& box, State& state, Touches* dry) {
        int below = node;
        while (tree_.store(below) != nullptr) below = tree_.children(below).front();
        std::vector<int> homes;
        std::vector<int> others;
        for (int i = 0; i < static_cast<int>(slots_.size()); ++i)
            if (slot(i).store >= node && slot(i).store < below && !holds_all(i))
                (is_home(i) ? homes : others).push_back(i);
        std::ranges::stable_sort(homes, std::ranges::greater{}, [&](int i) { return last_writer(slot(i).tensor); });
        for (const int i : homes) {
            State without = state;
            of(without, i).forget();
            move_tile(i, touches_of(below, box, without), box, state, dry);
        }
        if (dry != nullptr || others.empty()) return below;
        const Touches touches = touches_of(below, box, state);
        for (const int i : others) move_tile(i, touches, box, state, dry);
        return below;
    }

    int last_writer(int t) const {
        const auto& writers = tensor(t).writers;
        return writers.empty() ? -1 : tree_.leaf_of(writers.back().einsum);
    }

    void move_tile(int i, const Touches& touches, const Iterations& box, State& state, const Touches* dry) {
        const auto t = static_cast<std::size_t>(slot(i).tensor);
        std::optional<Box> tile = touches.reads[t];
        if (is_written_inside(i)) extend(tile, touches.makes[t]);
        if (!tile) return;  // it idles, and keeps what it holds
        Holding& holding = of(state, i);
        keep_overlap(holding, start(i, box).value_or(start_of(*tile)), *tile, tree_.store(slot(i).store)->fresh);
        forget_rows(i, holding);
        if (dry != nullptr) return;
        StoreCounts& counts = slots_[i];
        counts.tile_words = std::max(counts.tile_words, words(*tile));
        counts.survives = counts.survives || !holding.held.empty();
        if (!is_written_inside(i)) fetch(i, {*tile}, state);
    }

    // Rule 2 of docs/model.md: an overlap is kept in a steady direction.
    static void keep_overlap(Holding& holding, const Place& at, const Box& tile, bool fresh) {
        if (holding.at) {
            Place moved{};
            for (std::size_t a = 0; a < at.size(); ++a) moved[a] = at[a] - (*holding.at)[a];
            if (moved != Place{}) {
                const bool turned = holding.moved && *holding.moved != moved;
                holding.moved = turned ? std::nullopt : std::optional<Place>(moved);
                if (turned) holding.held.clear();
            }
        }
        if (fresh) holding.held.clear();
        holding.held.keep_only(tile);
        holding.at = at;
    }

    // Where the tile of a store would start if tensors had no borders and nothing were kept.
    std::optional<Place> start(int i, const Iterations& box) const {
        const std::span<const int> leaves = tree_.leaves(slot(i).store);
        std::vector<std::optional<Box>> needs(cascade_.tensors.size());
        for (auto leaf = leaves.rbegin(); leaf != leaves.rend(); ++leaf) {
            const CascadeEinsum& one = einsum_at(*leaf);
            const bool last = leaf == leaves.rbegin();
            const std::optional<Iterations> all = last ? std::optional<Iterations>(box) : wanted(one, needs);
            if (!all) continue;
            for (int t = 0; t < one.einsum.tensor_count(); ++t) {
                if (one.einsum.tensors[t].written && !last) continue;
                const int shared = one.accesses[t].tensor;
                if (!last && takes_in_rows(*leaf, t) && needs[shared]) continue;
                extend(needs[shared], touched_without_borders(one, t, *all, tensor(shared)));
            }
        }
        const std::optional<Box>& need = needs[slot(i).tensor];
        return need ? std::optional<Place>(start_of(*need)) : std::nullopt;
    }

    // Of their rows statistics that are read unfinished need no more than the step does.
    bool takes_in_rows(int leaf, int operand) const {
        return std::ranges::any_of(unfinished_, [&](const Unfinished& one) {
            return one.what.leaf == leaf && one.what.row_operand == operand;
        });
    }

    // Without borders.
    static std::optional<Iterations> wanted(const CascadeEinsum& one, const std::vector<std::optional<Box>>& needs) {
        std::optional<Iterations> all;
        for (int t = 0; t < one.einsum.tensor_count(); ++t) {
            const std::optional<Box>& need = needs[one.accesses[t].tensor];
            if (!one.einsum.tensors[t].written || !need) continue;
            const Iterations more = iterations_for(one, t, *need, false);
            if (!all) all = more;
            for (std::size_t d = 0; d < more.size(); ++d)
                (*all)[d] = {std::min((*all)[d].low, more[d].low), std::max((*all)[d].high, more[d].high)};
        }
        return all;
    }

    // Brings what the store lacks of these words from the store around it.
    void fetch(int i, const std::vector<Box>& request, State& state) {
        std::vector<Box> lacks;
        for (const Box& box : request)
            for (const Box& piece : of(state, i).held.missing(box)) lacks.push_back(piece);
        if (lacks.empty()) return;
        if (is_home(i)) return check_made(i, lacks);
        for (const Box& piece : lacks) of(state, i).held.add(piece);
        std::int64_t& in = tally_.moved[i].in;
        in = checked_add(in, checked_mul(words(lacks), repeats(i)));
        fetch(slot(i).outer, lacks, state);
    }

    // Of what a home lacks, only words from outside may be asked for.
    void check_made(int i, const std::vector<Box>& lacks) {
        const int t = slot(i).tensor;
        for (const TensorUse& use : tensor(t).writers)
            for (const Box& piece : lacks)
                if (intersection(piece, written_by(use.einsum, use.operand)))
                    complain(t, tree_.leaf_of(use.einsum),
                             "of tensor '" + tensor(t).name + "' only a part is made before it is read; '" +
                                 einsum(use.einsum).name + "' has to be the last of its branch");
    }

    void complain(int t, int node, const std::string& message) {
        if (complained_.insert(t).second) counts_.violations.push_back({message, node});
    }

    std::int64_t repeats(int i) const {
        for (const int leaf : tree_.leaves(slot(i).store))
            for (const Access& access : einsum_at(leaf).accesses)
                if (access.tensor == slot(i).tensor) return repeats_of(cascade_, tree_.leaf(leaf)->einsum);
        return 1;
    }

    // ---------------------------------------------------------------- leaves

    void call(int leaf, const Iterations& box, State& state, Touches* dry) {
        if (dry != nullptr) return touch(leaf, box, state, *dry);
        const CascadeEinsum& one = einsum_at(leaf);
        const auto e = static_cast<std::size_t>(tree_.leaf(leaf)->einsum);
        LeafCall call{leaf, extents_of(box), {}, {}};
        for (int t = 0; t < one.einsum.tensor_count(); ++t) {
            const int shared = one.accesses[t].tensor;
            const std::optional<Box> part = touched(one, t, box, tensor(shared));
            if (!part) continue;
            const int store = innermost_.at(leaf)[t];
            if (!one.einsum.tensors[t].written) {
                fetch(store, {*part}, state);
                continue;
            }
            const bool resumed = is_resumed(one, t, box);
            const bool finished = is_finished(one, t, box);
            if (resumed) call.resumed.add(t);
            if (!finished && has_partial_sums(shared)) call.unfinished.add(t);
            deliver(store, *part, resumed, finished, state);
            if (is_first_result(one, t)) tally_.made[e].add(*part);
        }
        sum_rows(leaf, box, state);
        correct(leaf, box, call);
        const std::int64_t times = repeats_of(cascade_, static_cast<int>(e));
        tally_.calls[call] += times;
        std::int64_t points = times;
        for (const std::int64_t extent : call.extents) points = checked_mul(points, extent);
        tally_.operations[e] = checked_add(tally_.operations[e], points);
    }

    bool has_partial_sums(int t) const { return static_cast<std::size_t>(t) < partial_.size() && partial_[t] > 0; }

    static bool is_first_result(const CascadeEinsum& one, int operand) {
        for (int t = 0; t < operand; ++t)
            if (one.einsum.tensors[t].written) return false;
        return true;
    }

    // Results go into the innermost store. Every stay of a word in a store ends with its way out; a word that was begun
    // before comes in first. A sum that is done goes out of every store on its way as such, once.
    void deliver(int i, const Box& part, bool resumed, bool finished, State& state) {
        std::vector<Box> coming{part};
        const std::int64_t done = finished ? checked_mul(words(part), repeats(i)) : 0;
        for (; !is_home(i); i = slot(i).outer) {
            std::vector<Box> lacks;
            for (const Box& box : coming)
                for (const Box& piece : of(state, i).held.missing(box)) lacks.push_back(piece);
            if (resumed) coming = lacks;
            Tally::Moved& counts = tally_.moved[i];
            const std::int64_t moved = checked_mul(words(coming), repeats(i));
            if (resumed) counts.back = checked_add(counts.back, moved);
            counts.out = checked_add(counts.out, moved);
            counts.finished = checked_add(counts.finished, done);
            for (const Box& piece : coming) of(state, i).held.add(piece);
        }
        of(state, i).held.add(part);
    }

    // ---------------------------------------------------------------- sums

    std::int64_t once_operations(int e) const {
        const CascadeEinsum& one = einsum(e);
        int result = 0;
        while (!one.einsum.tensors[result].written) ++result;
        const auto index = static_cast<std::size_t>(e);
        if (!says_its_iterations(one.accesses[result], one.einsum)) return counts_.operations[index];
        const std::int64_t all = words(written_by(e, result));
        const std::int64_t each = operation_count(one.einsum) / all;  // reductions of one word
        return checked_mul(checked_mul(tally_.made[index].words(), each), repeats_of(cascade_, e));
    }

    // What is wanted outside has to be made whole.
    void check_results(State& state) {
        for (int t = 0; t < cascade_.tensor_count(); ++t) {
            const bool wanted = tensor(t).role == TensorRole::output || tensor(t).role == TensorRole::cache;
            if (!wanted || tensor(t).writers.empty()) continue;
            const Region& held = of(state, slot_of(tree_.home(t), t)).held;
            for (const TensorUse& use : tensor(t).writers)
                if (!held.missing(written_by(use.einsum, use.operand)).empty())
                    complain(t, tree_.leaf_of(use.einsum),
                             "of '" + tensor(t).name + "', which is wanted outside, only a part is made; '" +
                                 einsum(use.einsum).name + "' has to be the last of its branch");
        }
    }

    const Cascade& cascade_;
    const FusedTree& tree_;
    const StopSource* stop_;
    const PartialBits& partial_;
    std::vector<StoreCounts> slots_;
    std::map<int, std::vector<int>> innermost_;  // by leaf and operand: the slot of its innermost store
    Tally tally_;
    bool is_steady_;
    std::set<int> complained_;
    std::vector<Unfinished> unfinished_;
    WalkCounts counts_;
};

}  // namespace

WalkCounts walk_boxes(const Cascade& cascade, const FusedTree& tree, const StopSource* stop, bool every_step,
                      const PartialBits& partial) {
    return FusedWalk(cascade, tree, stop, !every_step, partial).run();
}

}  // namespace tilewright::fused
