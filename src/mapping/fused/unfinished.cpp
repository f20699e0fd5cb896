#include "mapping/fused/unfinished.hpp"

#include <algorithm>
#include <set>

#include "mapping/fused/validity.hpp"

namespace tilewright {
namespace {

bool moves_along(const Access& access, int dimension) {
    return std::ranges::any_of(access.coordinates, [&](const Coordinate& coordinate) {
        return std::ranges::any_of(coordinate.terms, [&](const Term& term) { return term.dimension == dimension; });
    });
}

class Unfinished {
   public:
    Unfinished(const Cascade& cascade, const FusedTree& tree, int leaf) : cascade_(cascade), tree_(tree) {
        found_.leaf = leaf;
        found_.einsum = tree.leaf(leaf)->einsum;
    }

    std::optional<UnfinishedStatistics> find() {
        if (!einsum(found_.einsum).online || !find_rows() || !find_step() || !find_loops() || !find_home())
            return std::nullopt;
        if (!find_readers()) return std::nullopt;
        return found_;
    }

   private:
    const CascadeEinsum& einsum(int e) const { return cascade_.einsums[e]; }
    const CascadeTensor& tensor(int t) const { return cascade_.tensors[t]; }
    const Access& access(const TensorUse& use) const { return einsum(use.einsum).accesses[use.operand]; }

    std::vector<int> results_of(int e) const {
        std::vector<int> results;
        for (int t = 0; t < einsum(e).einsum.tensor_count(); ++t)
            if (einsum(e).einsum.tensors[t].written) results.push_back(t);
        return results;
    }

    /// At most one moving dimension on an axis, and all of the tensor in the end.
    bool is_plain(const TensorUse& use) const {
        const Access& one = access(use);
        const Einsum& shape = einsum(use.einsum).einsum;
        if (!says_its_iterations(one, shape)) return false;
        std::vector<Interval> all;
        for (const Dimension& dimension : shape.dimensions) all.push_back({0, dimension.extent - 1});
        const std::vector<Interval> box = reached(one, all, tensor(one.tensor));
        for (std::size_t a = 0; a < box.size(); ++a) {
            const auto moving = std::ranges::count_if(one.coordinates[a].terms, [&](const Term& term) {
                return shape.dimensions[term.dimension].extent > 1;
            });
            if (moving > 1 || box[a] != Interval{0, tensor(one.tensor).shape[a] - 1}) return false;
        }
        return true;
    }

    bool find_rows() {
        std::vector<int> read;
        for (int t = 0; t < einsum(found_.einsum).einsum.tensor_count(); ++t) {
            if (!is_plain({found_.einsum, t})) return false;
            if (!einsum(found_.einsum).einsum.tensors[t].written) read.push_back(t);
        }
        if (read.size() != 1) return false;
        found_.row_operand = read.front();
        found_.rows = access({found_.einsum, found_.row_operand}).tensor;
        found_.result_operand = results_of(found_.einsum).front();
        return true;
    }

    /// The innermost split with the leaf outside its last branch.
    bool find_step() {
        for (int at = tree_.scope(found_.leaf); tree_.parent(at) >= 0; at = tree_.scope(tree_.parent(at))) {
            const int split = tree_.parent(at);
            if (tree_.children(split).back() == at) continue;
            found_.branch = at;
            step_ = split;
            return tree_.last_leaf(at) == found_.leaf && tree_.is_in_a_loop(split);
        }
        return false;
    }

    /// Loops around the step over the reduction of its last einsum.
    bool find_loops() {
        const int last = tree_.last_einsum(step_);
        if (results_of(last).size() != 1 || einsum(last).kind != EinsumKind::contraction) return false;
        const Access& result = access({last, results_of(last).front()});
        for (int at = tree_.parent(step_); at >= 0 && tree_.last_einsum(at) == last; at = tree_.parent(at))
            if (const SharedLoop* loop = tree_.loop(at); loop != nullptr && !moves_along(result, loop->dimension))
                loops_.push_back(at);
        return !loops_.empty() && is_plain({last, results_of(last).front()});
    }

    bool find_home() {
        std::set<int> homes;
        for (const int t : results_of(found_.einsum)) {
            const CascadeTensor& result = tensor(access({found_.einsum, t}).tensor);
            if (result.writers.size() != 1 || result.role != TensorRole::intermediate) return false;
            homes.insert(tree_.home(access({found_.einsum, t}).tensor));
        }
        found_.home = tree_.home(access({found_.einsum, found_.result_operand}).tensor);
        for (int at = *homes.rbegin(); at >= *homes.begin(); at = tree_.parent(at))
            if (tree_.store(at) == nullptr) return false;  // a loop between them, or branches
        return std::ranges::all_of(homes, [&](int home) {
            return tree_.store(home)->fresh == tree_.store(found_.home)->fresh &&
                   std::ranges::all_of(loops_, [&](int loop) { return tree_.is_inside(loop, home); });
        });
    }

    bool serves_one_step(int t) const {
        return tensor(t).role == TensorRole::intermediate && tensor(t).writers.size() == 1 &&
               std::ranges::all_of(loops_, [&](int loop) { return tree_.is_inside(tree_.home(t), loop); });
    }

    /// Readers of one tensor; false if one of them may not read it unfinished.
    bool add_readers(int t, std::set<int>& leaves) const {
        return std::ranges::all_of(tensor(t).readers, [&](const TensorUse& use) {
            const int leaf = tree_.leaf_of(use.einsum);
            leaves.insert(leaf);
            return is_plain(use) && tree_.is_inside(leaf, step_) && leaf >= tree_.end(found_.branch);
        });
    }

    bool find_readers() {
        const int last = tree_.last_leaf(step_);
        std::set<int> leaves;
        for (const int t : results_of(found_.einsum))
            if (!add_readers(access({found_.einsum, t}).tensor, leaves)) return false;
        bool reads_rows = false;
        for (auto leaf = leaves.begin(); leaf != leaves.end(); ++leaf) {
            const int e = tree_.leaf(*leaf)->einsum;
            found_.readers.push_back(e);
            for (int t = 0; t < einsum(e).einsum.tensor_count(); ++t)
                reads_rows = reads_rows || (access({e, t}).tensor == found_.rows && is_plain({e, t}));
            if (*leaf == last) continue;
            const std::vector<int> results = results_of(e);
            if (einsum(e).kind != EinsumKind::elementwise || results.size() != 1 || !is_plain({e, results.front()}))
                return false;
            const int made = access({e, results.front()}).tensor;
            if (!serves_one_step(made) || !add_readers(made, leaves)) return false;
        }
        return reads_rows && tree_.leaf_of(found_.summing()) == last;
    }

    const Cascade& cascade_;
    const FusedTree& tree_;
    UnfinishedStatistics found_;
    int step_ = -1;
    std::vector<int> loops_;
};

}  // namespace

std::optional<UnfinishedStatistics> read_unfinished(const Cascade& cascade, const FusedTree& tree, int leaf) {
    return Unfinished(cascade, tree, leaf).find();
}

std::vector<UnfinishedStatistics> all_read_unfinished(const Cascade& cascade, const FusedTree& tree) {
    std::vector<UnfinishedStatistics> all;
    for (const int leaf : tree.all_leaves())
        if (std::optional<UnfinishedStatistics> one = read_unfinished(cascade, tree, leaf))
            all.push_back(std::move(*one));
    return all;
}

}  // namespace tilewright
