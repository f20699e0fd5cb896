#include "mapping/fused/validity.hpp"

#include <algorithm>
#include <set>

#include "base/error.hpp"
#include "mapping/fused/tree.hpp"

namespace tilewright {
namespace {

class FusedCheck {
   public:
    FusedCheck(const Cascade& cascade, const Architecture& architecture, const FusedMapping& mapping)
        : cascade_(cascade), architecture_(architecture), tree_(cascade, mapping) {}

    std::vector<FusedViolation> run() {
        for (int e = 0; e < cascade_.einsum_count(); ++e)
            if (tree_.leaf_of(e) < 0) report(-1, "einsum '" + einsum(e).name + "' has no leaf");
        if (!violations_.empty()) return std::move(violations_);
        for (int t = 0; t < cascade_.tensor_count(); ++t) check_tensor(t);
        for (int i = 0; i < tree_.node_count(); ++i) check_node(i);
        return std::move(violations_);
    }

   private:
    const CascadeEinsum& einsum(int e) const { return cascade_.einsums[e]; }
    const CascadeTensor& tensor(int t) const { return cascade_.tensors[t]; }
    const Memory& memory(int store) const { return architecture_.memories[tree_.store(store)->memory]; }

    void report(int node, std::string message) { violations_.push_back({std::move(message), node}); }

    // A tensor without users needs no store: of a table of embeddings only the rows are read, another tensor.
    void check_tensor(int t) {
        if (users(t).empty()) return;
        check_order(t);
        if (check_chains(t)) {
            check_home(t);
            check_reductions(t);
        }
    }

    // Later einsums of the cascade write other words of the tensor than the reader's (workload/cascade/cascade.cpp):
    // parts of a growing concatenation.
    void check_order(int t) {
        for (const TensorUse& write : tensor(t).writers)
            for (const TensorUse& read : tensor(t).readers)
                if (read.einsum > write.einsum && tree_.leaf_of(read.einsum) < tree_.leaf_of(write.einsum))
                    report(tree_.leaf_of(read.einsum), "tensor '" + tensor(t).name + "' is read by '" +
                                                           einsum(read.einsum).name + "' before '" +
                                                           einsum(write.einsum).name + "' writes it");
    }

    std::vector<int> users(int t) const {
        std::set<int> leaves;
        for (const auto* uses : {&tensor(t).writers, &tensor(t).readers})
            for (const TensorUse& use : *uses) leaves.insert(tree_.leaf_of(use.einsum));
        return {leaves.begin(), leaves.end()};
    }

    bool check_chains(int t) {
        bool sound = true;
        for (const int leaf : users(t)) {
            const std::vector<int> chain = tree_.chain(leaf, t);
            const std::string& reader = einsum(tree_.leaf(leaf)->einsum).name;
            if (chain.empty()) {
                report(leaf, "no store holds tensor '" + tensor(t).name + "' on the way to '" + reader + "'");
                sound = false;
            } else if (chain.front() != tree_.home(t)) {
                report(tree_.home(t), "the store of tensor '" + tensor(t).name + "' in " + memory(tree_.home(t)).name +
                                          " stands outside its readers: '" + reader + "' is not inside it");
                sound = false;
            }
            for (std::size_t i = 1; i < chain.size(); ++i)
                if (tree_.store(chain[i])->memory <= tree_.store(chain[i - 1])->memory) {
                    report(chain[i], "tensor '" + tensor(t).name + "' is stored in " + memory(chain[i]).name +
                                         " inside its store in " + memory(chain[i - 1]).name +
                                         "; the inner store has to be further in");
                    sound = false;
                }
        }
        return sound;
    }

    void check_home(int t) {
        const int home = tree_.home(t);
        const bool outside = tensor(t).role != TensorRole::intermediate || tensor(t).writers.empty();
        if (outside && (tree_.store(home)->memory != 0 || tree_.is_in_a_loop(home)))
            report(home, "tensor '" + tensor(t).name + "' (" + std::string(to_text(tensor(t).role)) +
                             ") needs a store in " + architecture_.memories.front().name + " outside all loops");
        if (outside && tree_.store(home)->fresh)
            report(home, "the store of tensor '" + tensor(t).name + "' in " + memory(home).name + " cannot be fresh");
        for (const int leaf : users(t))
            if (tree_.store(home)->memory != 0 && repeats(leaf) != repeats(users(t).front()))
                report(leaf, "the einsums around tensor '" + tensor(t).name +
                                 "' do not run equally often; it has to pass through " +
                                 architecture_.memories.front().name);
    }

    std::int64_t repeats(int leaf) const { return repeats_of(cascade_, tree_.leaf(leaf)->einsum); }

    // A loop over a reduction of the producer, outside every store of the result.
    void check_reductions(int t) {
        for (const TensorUse& write : tensor(t).writers)
            for (int at = tree_.parent(tree_.home(t)); at >= 0; at = tree_.parent(at)) {
                const SharedLoop* loop = tree_.loop(at);
                if (loop == nullptr || tree_.last_einsum(at) != write.einsum) continue;
                if (moves(einsum(write.einsum).accesses[write.operand], loop->dimension)) continue;
                report(tree_.home(t), "the reduction over " + dimension_name(write.einsum, loop->dimension) +
                                          " is finished too late: its loop stands outside the outermost store of '" +
                                          tensor(t).name + "'");
            }
    }

    static bool moves(const Access& access, int dimension) {
        return access.anywhere || std::ranges::any_of(access.coordinates, [&](const Coordinate& coordinate) {
                   return std::ranges::any_of(coordinate.terms,
                                              [&](const Term& term) { return term.dimension == dimension; });
               });
    }

    const std::string& dimension_name(int e, int d) const { return einsum(e).einsum.dimensions[d].name; }

    void check_node(int i) {
        if (tree_.store(i) != nullptr) check_store(i);
        if (tree_.leaf(i) != nullptr) check_leaf(i);
        if (tree_.is_split(i) && tree_.is_in_a_loop(i)) check_branches(i);
    }

    void check_store(int i) {
        const SharedStore& store = *tree_.store(i);
        if (memory(i).instances != 1)
            report(i, "a shared store stands in a memory of one instance; " + memory(i).name + " has " +
                          std::to_string(memory(i).instances));
        if (memory(i).spreads_only) report(i, memory(i).name + " only spreads; it cannot keep a tensor");
        for (const int t : store.tensors) {
            const std::vector<int> inside = users(t);
            if (std::ranges::none_of(inside, [&](int leaf) { return tree_.is_inside(leaf, i); }))
                report(i, "the store of tensor '" + tensor(t).name + "' in " + memory(i).name +
                              " stands outside its readers: nothing inside it reads or writes the tensor");
            if (std::ranges::count(store.tensors, t) > 1) report(i, "tensor '" + tensor(t).name + "' is stored twice");
            if (store.memory != 0 && !run_equally_often(inside, i))
                report(i,
                       "the einsums that share the store of tensor '" + tensor(t).name + "' do not run equally often");
        }
    }

    bool run_equally_often(const std::vector<int>& leaves, int node) const {
        std::set<std::int64_t> counts;
        for (const int leaf : leaves)
            if (tree_.is_inside(leaf, node)) counts.insert(repeats(leaf));
        return counts.size() < 2;
    }

    void check_leaf(int i) {
        const FusedLeaf& leaf = *tree_.leaf(i);
        const CascadeEinsum& one = einsum(leaf.einsum);
        for (int t = 0; t < one.einsum.tensor_count(); ++t) {
            for (const LeafNest& nest : leaf.nests)
                for (const LeafNode& node : nest.nodes)
                    if (const Store* store = std::get_if<Store>(&node)) check_private(i, one, *store, t);
            const Access& access = one.accesses[t];
            if (tensor(access.tensor).shape.size() > kMaxRanks)
                report(i, "tensor '" + tensor(access.tensor).name + "' has more than " + std::to_string(kMaxRanks) +
                              " axes");
            if (one.einsum.tensors[t].written && tree_.is_in_a_loop(i) && !says_its_iterations(access, one.einsum))
                report(i, "'" + one.name + "' cannot make a part of '" + tensor(access.tensor).name +
                              "' in a step of a loop: its words do not say which iterations make them");
        }
    }

    void check_private(int leaf, const CascadeEinsum& one, const Store& store, int operand) {
        if (!store.tensors.has(operand)) return;
        const int shared = one.accesses[operand].tensor;
        const std::vector<int> chain = tree_.chain(leaf, shared);
        if (chain.empty() || store.memory > tree_.store(chain.back())->memory) return;
        report(leaf, "leaf '" + one.name + "' stores '" + tensor(shared).name + "' in " +
                         architecture_.memories[store.memory].name + ", but a shared store holds it in " +
                         memory(chain.back()).name + " already");
    }

    // In a loop, a step makes only its own inputs: all but the last result have to be read further on in the step.
    void check_branches(int split) {
        const std::vector<int>& branches = tree_.children(split);
        for (std::size_t b = 0; b < branches.size(); ++b) {
            for (const int leaf : tree_.leaves(branches[b]))
                if (repeats(leaf) != repeats(tree_.last_leaf(split)))
                    report(leaf, "'" + einsum(tree_.leaf(leaf)->einsum).name + "' and '" +
                                     einsum(tree_.last_einsum(split)).name +
                                     "' share loops but do not run equally often");
            if (b + 1 < branches.size()) check_driven(branches[b], split);
        }
    }

    void check_driven(int branch, int split) {
        const int e = tree_.last_einsum(branch);
        bool read = false;
        for (std::size_t t = 0; t < einsum(e).accesses.size(); ++t) {
            if (!einsum(e).einsum.tensors[t].written) continue;
            const Access& access = einsum(e).accesses[t];
            for (const TensorUse& use : tensor(access.tensor).readers) {
                const int reader = tree_.leaf_of(use.einsum);
                read = read || (tree_.is_inside(reader, split) && reader >= tree_.end(branch));
            }
        }
        if (!read)
            report(tree_.last_leaf(branch), "no leaf further on in the step reads what '" + einsum(e).name +
                                                "' makes; a step makes only what it needs");
    }

    const Cascade& cascade_;
    const Architecture& architecture_;
    FusedTree tree_;
    std::vector<FusedViolation> violations_;
};

}  // namespace

bool says_its_iterations(const Access& access, const Einsum& einsum) {
    if (access.anywhere) return false;
    std::set<int> seen;
    for (const Coordinate& coordinate : access.coordinates) {
        std::vector<Term> terms = coordinate.terms;
        std::ranges::sort(terms, {}, &Term::coefficient);
        std::int64_t reach = 1;  // values made up by the smaller terms
        for (const Term& term : terms) {
            if (terms.size() > 1 && einsum.dimensions[term.dimension].extent == 1) continue;
            if (term.coefficient != reach || !seen.insert(term.dimension).second) return false;
            reach *= einsum.dimensions[term.dimension].extent;
        }
    }
    return true;
}

std::vector<FusedViolation> check_fused(const Cascade& cascade, const Architecture& architecture,
                                        const FusedMapping& mapping) {
    if (TreeProblem problem = problem_with_tree(cascade, architecture.memory_count(), mapping);
        !problem.message.empty())
        return {{std::move(problem.message), problem.node}};
    return FusedCheck(cascade, architecture, mapping).run();
}

}  // namespace tilewright
