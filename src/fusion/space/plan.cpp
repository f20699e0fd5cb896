#include "fusion/space/plan.hpp"

#include <algorithm>
#include <set>
#include <stdexcept>

#include "fusion/machine/machine.hpp"
#include "mapping/fused/tree.hpp"
#include "model/fused/walk.hpp"

namespace tilewright::fusion {
namespace {

class TreeOfPlan {
   public:
    TreeOfPlan(const CascadeView& view, int buffer, const FusionPlan& plan)
        : cascade_(view.cascade()), buffer_(buffer), plan_(plan) {}

    FusedMapping build() {
        SharedStore outside{kDram, {}};
        for (int t = 0; t < cascade_.tensor_count(); ++t)
            if (is_used(t) && !stays_inside(t)) outside.tensors.push_back(t);
        const int split = append(tree_, append(tree_, -1, outside), SequentialSplit{});
        for (const GroupPlan& group : plan_.groups) add(group, split);
        return std::move(tree_);
    }

   private:
    // Of a table of embeddings only the rows are, which are a tensor of their own.
    bool is_used(int t) const {
        return !cascade_.tensors[at(t)].writers.empty() || !cascade_.tensors[at(t)].readers.empty();
    }

    // Made in a group that keeps it.
    bool stays_inside(int t) const {
        return std::ranges::any_of(plan_.groups, [&](const GroupPlan& group) {
            return is_made_in(group, t) && std::ranges::find(group.kept, t, &KeptTensor::tensor) != group.kept.end();
        });
    }

    bool is_made_in(const GroupPlan& group, int t) const {
        return std::ranges::any_of(cascade_.tensors[at(t)].writers, [&](const TensorUse& use) {
            return group.first <= use.einsum && use.einsum <= group.last;
        });
    }

    int store(int parent, const std::set<int>& tensors) {
        if (tensors.empty()) return parent;
        return append(tree_, parent, SharedStore{buffer_, {tensors.begin(), tensors.end()}});
    }

    int loop(int parent, const GroupPlan& group, std::size_t k) {
        if (group.marching[k] < 0) return parent;
        // One of a single step counts, too: outside all loops more is made than is needed.
        return append(tree_, parent, SharedLoop{group.marching[k], group.tile[k]});
    }

    void add(const GroupPlan& group, int parent) {
        parent = store(parent, operands(group, Way::resident));
        parent = loop(parent, group, 0);
        std::set<int> lines = operands(group, Way::between);
        lines.merge(kept(group, Keeping::lines));
        parent = store(parent, lines);
        parent = loop(parent, group, 1);
        std::set<int> tiles = kept(group, Keeping::tile);
        tiles.merge(results(group));
        parent = append(tree_, store(parent, tiles), SequentialSplit{});
        for (const SegmentPlan& segment : group.segments) add(group, segment, parent);
    }

    void add(const GroupPlan& group, const SegmentPlan& segment, int parent) {
        if (segment.slices > 1) {
            const MemberPlan& last = member(group, segment.last);
            const Einsum& einsum = cascade_.einsums[at(segment.last)].einsum;
            parent = append(tree_, parent,
                            SharedLoop{last.sliced, einsum.dimensions[at(last.sliced)].extent / segment.slices});
            std::set<int> slices;
            for (const int t : kept(group, Keeping::slice)) {
                const int writer = cascade_.tensors[at(t)].writers.front().einsum;
                if (segment.first <= writer && writer <= segment.last) slices.insert(t);
            }
            parent = append(tree_, store(parent, slices), SequentialSplit{});
        }
        for (int e = segment.first; e <= segment.last; ++e) append(tree_, parent, FusedLeaf{e, {}});
    }

    static const MemberPlan& member(const GroupPlan& group, int einsum) {
        return *std::ranges::find(group.members, einsum, &MemberPlan::einsum);
    }

    std::set<int> operands(const GroupPlan& group, Way way) const {
        std::set<int> tensors;
        for (const MemberPlan& one : group.members) {
            const CascadeEinsum& einsum = cascade_.einsums[at(one.einsum)];
            for (std::size_t t = 0; t < einsum.accesses.size(); ++t)
                if (one.ways[t] == way) tensors.insert(einsum.accesses[t].tensor);
        }
        return tensors;
    }

    static std::set<int> kept(const GroupPlan& group, Keeping keeping) {
        std::set<int> tensors;
        for (const KeptTensor& one : group.kept)
            if (one.keeping == keeping) tensors.insert(one.tensor);
        return tensors;
    }

    // Of the last einsum, by way of the buffer.
    std::set<int> results(const GroupPlan& group) const {
        std::set<int> tensors;
        const CascadeEinsum& einsum = cascade_.einsums[at(group.last)];
        for (std::size_t t = 0; t < einsum.accesses.size(); ++t)
            if (einsum.einsum.tensors[t].written && member(group, group.last).ways[t] == Way::shared)
                tensors.insert(einsum.accesses[t].tensor);
        return tensors;
    }

    const Cascade& cascade_;
    int buffer_;
    const FusionPlan& plan_;
    FusedMapping tree_;
};

}  // namespace

const MemberPlan& member_of(const FusionPlan& plan, int einsum) {
    for (const GroupPlan& group : plan.groups)
        for (const MemberPlan& member : group.members)
            if (member.einsum == einsum) return member;
    throw std::logic_error("an einsum of no group");
}

std::int64_t resumed_calls(const FusionPlan& plan, int einsum) {
    for (const GroupPlan& group : plan.groups)
        for (const SegmentPlan& segment : group.segments)
            if (segment.last == einsum) return segment.slices - 1;
    return 0;
}

FusedMapping bare_tree(const CascadeView& view, int buffer, const FusionPlan& plan) {
    return TreeOfPlan(view, buffer, plan).build();
}

}  // namespace tilewright::fusion
