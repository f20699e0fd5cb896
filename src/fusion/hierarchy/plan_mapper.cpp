#include "fusion/hierarchy/plan_mapper.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "arch/widths.hpp"
#include "base/numbers/checked.hpp"
#include "fusion/hierarchy/shared_buffer.hpp"
#include "fusion/machine/machine.hpp"
#include "fusion/space/plan.hpp"
#include "mapping/fused/fused_mapping.hpp"
#include "mapping/fused/tree.hpp"
#include "model/exact/model.hpp"
#include "model/exact/partial_sums.hpp"
#include "model/fused/lifetimes.hpp"
#include "model/fused/model.hpp"
#include "model/fused/walk.hpp"

namespace tilewright::fusion {
namespace {

TensorSet held_of(const FusionPlan& plan, const Einsum& einsum, int e) {
    const MemberPlan& member = member_of(plan, e);
    TensorSet held;
    for (int t = 0; t < einsum.tensor_count(); ++t)
        if (member.ways[at(t)] != Way::by_itself) held.add(t);
    return held;
}

// A tree, what happens when it runs, and what its stores leave of the buffer.
struct Walked {
    Walked(const CascadeView& view, const Architecture& architecture, int buffer, const FusionPlan& plan,
           const PartialBits& sum_widths)
        : cascade(view.cascade()),
          partial(sum_widths),
          mapping(bare_tree(view, buffer, plan)),
          tree(cascade, mapping),
          counts(fused::walk_boxes(cascade, tree, nullptr, false, partial)),
          machine(in_units(machine_around(architecture), cascade, partial)) {}

    // Also those that shared loops cut.
    std::vector<bool> with_unfinished(std::vector<bool> sums) const {
        for (const auto& [call, times] : counts.calls) {
            const std::vector<Access>& accesses = cascade.einsums[at(tree.leaf(call.leaf)->einsum)].accesses;
            for (std::size_t t = 0; t < accesses.size(); ++t)
                if (call.unfinished.has(static_cast<int>(t))) sums[at(accesses[t].tensor)] = true;
        }
        return sums;
    }

    // `sums`: tensors with partial sums where they are made.
    std::int64_t left_to(int leaf, const std::vector<bool>& sums) const {
        std::int64_t left = machine.capacity;
        for (const fused::StoreCounts& store : counts.stores)
            if (tree.store(store.store)->memory == machine.buffer_memory &&
                fused::is_reserved_at(cascade, tree, store, leaf)) {
                const bool wide = sums[at(store.tensor)] && tree.is_written_inside(store.store, store.tensor);
                left -= store.tile_words *
                        machine.units_of(wide ? partial[at(store.tensor)] : cascade.tensors[at(store.tensor)].bits);
            }
        return left;
    }

    const Cascade& cascade;
    const PartialBits& partial;
    FusedMapping mapping;
    FusedTree tree;
    fused::WalkCounts counts;
    Machine machine;  // whose buffer has room in units
};

// Energy and cycles of one box inside the buffer.
LeastPerPoint inside_of(const Evaluation& leaf, const Einsum& box, const Architecture& architecture, int buffer) {
    const Memory& memory = architecture.memories[at(buffer)];
    double outside_pj = 0.0;
    std::int64_t most = 0;
    for (int m = 0; m < architecture.memory_count(); ++m) {
        const MemoryEvaluation& one = leaf.memories[at(m)];
        if (m < buffer) outside_pj += one.energy_pj + one.link_energy_pj;
        if (m >= buffer) most = std::max(most, one.cycles);
        if (m != buffer) continue;
        for (int t = 0; t < box.tensor_count(); ++t)
            outside_pj +=
                one.tensors[at(t)].fills * memory.energy.fill_pj.value / words_per_access(box.tensors[at(t)], memory);
    }
    return {std::max(0.0, leaf.energy_pj - outside_pj), static_cast<double>(most)};
}

}  // namespace

PlanMapper::PlanMapper(const CascadeView& view, const Architecture& architecture, LeafMapper& leaves,
                       const PartialBits& partial)
    : view_(view),
      architecture_(architecture),
      leaves_(leaves),
      partial_(partial),
      bits_of_sums_(bits_of_sums(view.cascade(), architecture, partial)),
      buffer_(shared_buffer(architecture)),
      unit_bits_(in_units(machine_around(architecture), view.cascade(), partial).unit_bits) {}

FusionPlan PlanMapper::alone() const {
    FusionPlan plan;
    for (int e = 0; e < view_.count(); ++e) {
        GroupPlan group;
        group.first = group.last = e;
        group.segments.push_back({e, e, 1});
        group.members.push_back({.einsum = e});
        plan.groups.push_back(std::move(group));
    }
    return plan;
}

std::optional<std::vector<AskedLeaf>> PlanMapper::leaves_of(const FusionPlan& plan,
                                                            const std::vector<bool>& known) const {
    const Walked walked(view_, architecture_, buffer_, plan, partial_);
    std::vector<bool> sums = known;
    sums.resize(view_.cascade().tensors.size());
    for (std::size_t t = 0; t < sums.size(); ++t) sums[t] = sums[t] || bits_of_sums_[t] > 0;
    sums = walked.with_unfinished(std::move(sums));
    std::vector<AskedLeaf> asked;
    std::set<std::pair<int, std::vector<std::int64_t>>> done;
    for (const auto& [call, times] : walked.counts.calls) {
        if (!done.insert({call.leaf, call.extents}).second) continue;
        const int e = walked.tree.leaf(call.leaf)->einsum;
        const TensorSet held = held_of(plan, view_.cascade().einsums[at(e)].einsum, e);
        asked.push_back({e, {call.extents, held, resumed_calls(plan, e)}, walked.left_to(call.leaf, sums)});
        if (asked.back().units < 0) return std::nullopt;
    }
    return asked;
}

// The mapper does not see what bandwidth of the buffer words take that it holds, nor that a sum which goes on is read
// first: where cycles count, the exact model chooses between the best by each objective.
const LeafMapping* PlanMapper::leaf(const AskedLeaf& asked, const FusionPlan& plan, ObjectiveKind objective) {
    const auto best = [&](ObjectiveKind kind) {
        const std::int64_t bits = asked.units * unit_bits_;
        const LeafMapping* one = leaves_.best(asked.einsum, asked.question.extents, asked.question.held, bits, kind,
                                              asked.question.resumed > 0 && has_sums(asked.einsum));
        return one != nullptr && one->fits ? one : nullptr;
    };
    const LeafMapping* chosen = best(objective);
    if (objective == ObjectiveKind::energy || chosen == nullptr) return chosen;
    const Einsum box = on_box(view_.cascade().einsums[at(asked.einsum)].einsum, asked.question.extents);
    std::vector<int> held_in;
    for (int t = 0; t < box.tensor_count(); ++t) held_in.push_back(asked.question.held.has(t) ? buffer_ : 0);
    const auto score = [&](const LeafMapping& leaf) {
        const Mapping mapping = mapping_on(leaf.nest, asked.question.extents, held_in, architecture_.memory_count());
        const Evaluation all = costs_of(asked.einsum, box, mapping, asked.question.resumed > 0);
        const auto cycles = static_cast<double>(all.cycles);
        return plan.weights ? plan.weights->score(all.energy_pj, cycles) : std::pair(all.energy_pj * cycles, 0.0);
    };
    for (const ObjectiveKind kind : {ObjectiveKind::energy, ObjectiveKind::latency, ObjectiveKind::edp})
        if (const LeafMapping* other = best(kind); other != nullptr && score(*other) < score(*chosen)) chosen = other;
    return chosen;
}

bool PlanMapper::has_sums(int einsum) const {
    return std::ranges::any_of(sums_of(view_.cascade(), einsum, partial_), [](std::int64_t bits) { return bits > 0; });
}

// `goes_on`: with the sums of another call, and another one with its own.
Evaluation PlanMapper::costs_of(int einsum, const Einsum& box, const Mapping& mapping, bool goes_on) const {
    TensorSet results;
    for (int t = 0; goes_on && t < box.tensor_count(); ++t)
        if (box.tensors[at(t)].written) results.add(t);
    if (!has_sums(einsum)) return evaluate(box, architecture_, mapping, nullptr, results);
    return evaluate_part(box, architecture_, mapping, sums_of(view_.cascade(), einsum, partial_), {results, results})
        .evaluation;
}

std::optional<std::vector<const LeafMapping*>> PlanMapper::leaves(const std::vector<AskedLeaf>& asked,
                                                                  const FusionPlan& plan, ObjectiveKind objective) {
    std::vector<const LeafMapping*> all;
    for (const AskedLeaf& one : asked) {
        all.push_back(leaf(one, plan, objective));
        if (all.back() == nullptr) return std::nullopt;
    }
    return all;
}

// Stores are as wide as what the leaves send them, and leave the leaves what room they do: until that stays.
std::optional<Mapped> PlanMapper::mapped(FusionPlan plan, ObjectiveKind objective) {
    std::vector<bool> sums(view_.cascade().tensors.size(), false);
    std::optional<std::vector<AskedLeaf>> asked;
    std::optional<std::vector<const LeafMapping*>> found;
    for (bool is_new = true; is_new;) {
        asked = leaves_of(plan, sums);
        if (!asked) return std::nullopt;
        found = leaves(*asked, plan, objective);
        if (!found) return std::nullopt;
        is_new = false;
        for (std::size_t i = 0; i < asked->size(); ++i) {
            const std::vector<Access>& accesses = view_.cascade().einsums[at((*asked)[i].einsum)].accesses;
            for (std::size_t t = 0; t < accesses.size(); ++t) {
                if (!(*found)[i]->sums.has(static_cast<int>(t)) || sums[at(accesses[t].tensor)]) continue;
                is_new = sums[at(accesses[t].tensor)] = true;
            }
        }
    }
    Mapped mapped{std::move(plan), {}, {}};
    mapped.mapping = bare_tree(view_, buffer_, mapped.plan);
    std::map<int, int> node_of;
    for (std::size_t i = 0; i < mapped.mapping.nodes.size(); ++i)
        if (const FusedLeaf* leaf = std::get_if<FusedLeaf>(&mapped.mapping.nodes[i].what))
            node_of[leaf->einsum] = static_cast<int>(i);
    for (std::size_t i = 0; i < asked->size(); ++i) {
        const AskedLeaf& one = (*asked)[i];
        const LeafMapping* best = (*found)[i];
        std::get<FusedLeaf>(mapped.mapping.nodes[at(node_of.at(one.einsum))].what).nests.push_back(best->nest);
        for (GroupPlan& group : mapped.plan.groups)
            for (MemberPlan& member : group.members)
                if (member.einsum == one.einsum)
                    member.leaf_words =
                        std::max(member.leaf_words,
                                 ceil_div(best->own_bits[at(buffer_)], architecture_.memories[at(buffer_)].word_bits));
    }
    fused::Answer answer = fused::evaluate(view_.cascade(), architecture_, mapped.mapping, nullptr, partial_);
    if (!answer.evaluation) return std::nullopt;
    mapped.evaluation = std::move(*answer.evaluation);
    add_costs(mapped);
    return mapped;
}

// What the exact model says of every group.
void PlanMapper::add_costs(Mapped& mapped) const {
    const FusedTree tree(view_.cascade(), mapped.mapping);
    int split = 0;
    while (!tree.is_split(split)) ++split;
    for (std::size_t g = 0; g < mapped.plan.groups.size(); ++g) {
        GroupPlan& group = mapped.plan.groups[g];
        const int root = tree.children(split)[g];
        group.energy_pj = group.cycles = 0.0;
        const auto add = [&](int node, double energy_pj, std::int64_t cycles) {
            if (!tree.is_inside(node, root)) return;
            group.energy_pj += energy_pj;
            group.cycles += static_cast<double>(cycles);
        };
        for (const fused::LeafCost& leaf : mapped.evaluation.leaves) add(leaf.leaf, leaf.energy_pj, leaf.cycles);
        for (const fused::StoreCost& store : mapped.evaluation.stores) add(store.store, store.energy_pj, store.cycles);
    }
    mapped.plan.energy_pj = mapped.evaluation.energy_pj;
    mapped.plan.cycles = static_cast<double>(mapped.evaluation.cycles);
}

std::vector<LeastPerPoint> PlanMapper::inside(const Mapped& mapped) const {
    const FusedTree tree(view_.cascade(), mapped.mapping);
    std::vector<LeastPerPoint> all;
    for (int e = 0; e < view_.count(); ++e) {
        const Einsum& einsum = view_.cascade().einsums[at(e)].einsum;
        const TensorSet held = held_of(mapped.plan, einsum, e);
        std::vector<int> held_in;
        for (int t = 0; t < einsum.tensor_count(); ++t) held_in.push_back(held.has(t) ? buffer_ : 0);
        double points = 0.0;
        LeastPerPoint sum;
        for (const LeafNest& nest : tree.leaf(tree.leaf_of(e))->nests) {
            const Einsum box = on_box(einsum, nest.box);
            const Evaluation once =
                costs_of(e, box, mapping_on(nest, nest.box, held_in, architecture_.memory_count()), false);
            const LeastPerPoint one = inside_of(once, box, architecture_, buffer_);
            points += static_cast<double>(operation_count(box));
            sum.energy_pj += one.energy_pj;
            sum.cycles += one.cycles;
        }
        all.push_back({sum.energy_pj / points, sum.cycles / points});
    }
    return all;
}

}  // namespace tilewright::fusion
