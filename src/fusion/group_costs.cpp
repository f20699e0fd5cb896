#include "fusion/group_costs.hpp"

#include <algorithm>

#include "fusion/machine/machine.hpp"

namespace tilewright::fusion {
namespace {

// What both say.
Floor larger(const Floor& a, const Floor& b) {
    return {{std::max(a.cost.energy_pj, b.cost.energy_pj), std::max(a.cost.cycles, b.cost.cycles)},
            std::max(a.value, b.value)};
}

}  // namespace

GroupCosts::GroupCosts(std::vector<int> first_allowed, const std::vector<std::vector<double>>& floors)
    : first_allowed_(std::move(first_allowed)) {
    for (const std::vector<double>& by_first : floors) {
        std::vector<GroupCost>& edges = edges_.emplace_back(by_first.size());
        for (std::size_t i = 0; i < by_first.size(); ++i) edges[i].floor = by_first[i];
    }
    find_paths();
    known_.resize(edges_.size() + 1);
    known_.front().score = {0.0, 0.0};
}

GroupCost& GroupCosts::of(int first, int last) { return edges_[at(last)][at(first - first_allowed_[at(last)])]; }

const GroupCost& GroupCosts::of(int first, int last) const {
    return edges_[at(last)][at(first - first_allowed_[at(last)])];
}

std::vector<std::vector<double>> GroupCosts::floors() const {
    std::vector<std::vector<double>> all;
    for (const std::vector<GroupCost>& edges : edges_) {
        std::vector<double>& by_first = all.emplace_back();
        for (const GroupCost& edge : edges) by_first.push_back(edge.floor);
    }
    return all;
}

void GroupCosts::learn(GroupPlan plan, std::pair<double, double> score) {
    GroupCost& cost = of(plan.first, plan.last);
    if (score >= cost.best) return;
    cost.best = score;
    const auto [first, last] = std::pair{plan.first, plan.last};
    cost.plan = std::move(plan);
    if (!extend_known(first, last)) return;
    for (int end = last + 1; end < count(); ++end)
        for (int begin = first_allowed(end); begin <= end; ++begin) extend_known(begin, end);
}

// Whether the best known partition up to `last` costs less with this group. Of equal ones the longest last group stays.
bool GroupCosts::extend_known(int first, int last) {
    const auto& [value, tie] = of(first, last).best;
    const std::pair<double, double>& before = known_[at(first)].score;
    const Step next{{before.first + value, before.second + tie}, first};
    Step& step = known_[at(last) + 1];
    const bool is_better = next.score < step.score;
    if (is_better || (next.score == step.score && next.first < step.first)) step = next;
    return is_better;
}

void GroupCosts::looked_at(int last, double bound) {
    for (int first = first_allowed(last); first <= last; ++first) {
        const double others = before(first) + after(last + 1);
        if (others == GroupCost::kUnknown) continue;  // no partition has it
        GroupCost& cost = of(first, last);
        const double looked_at = bound - others;
        cost.floor = std::max(cost.floor, std::min(looked_at, cost.best.first));
    }
    find_paths();
}

// Sums are taken in the same order for both, so that a path of exact edges alone has equal ones.
void GroupCosts::find_paths() {
    before_.assign(at(count()) + 1, GroupCost::kUnknown);
    after_ = before_;
    before_.front() = after_.back() = 0.0;
    for (int last = 0; last < count(); ++last)
        for (int first = first_allowed(last); first <= last; ++first)
            before_[at(last) + 1] = std::min(before_[at(last) + 1], before_[at(first)] + of(first, last).floor);
    for (int last = count() - 1; last >= 0; --last)
        for (int first = first_allowed(last); first <= last; ++first)
            after_[at(first)] = std::min(after_[at(first)], of(first, last).floor + after_[at(last) + 1]);
}

double GroupCosts::open_through(int last) const {
    double least = GroupCost::kUnknown;
    for (int first = first_allowed(last); first <= last; ++first) {
        const GroupCost& cost = of(first, last);
        if (!cost.is_exact()) least = std::min(least, before(first) + cost.floor + after(last + 1));
    }
    return least;
}

std::optional<FusionPlan> GroupCosts::best_known(const Weights& weights) const {
    if (known_.back().score.first == GroupCost::kUnknown) return std::nullopt;
    FusionPlan plan;
    plan.weights = weights;
    for (int end = count(); end > 0; end = known_[at(end)].first)
        plan.groups.push_back(of(known_[at(end)].first, end - 1).plan);
    std::ranges::reverse(plan.groups);
    for (const GroupPlan& group : plan.groups) {
        plan.energy_pj += group.energy_pj;
        plan.cycles += group.cycles;
    }
    return plan;
}

GroupFloors::GroupFloors(const CascadeView& view, const Machine& machine, Leaves& leaves,
                         const std::vector<LeastCost>& least, const Weights& weights)
    : view_(view),
      machine_(machine),
      leaves_(leaves),
      least_(least),
      weights_(weights),
      parts_(at(view.count())),
      entering_(at(view.count())),
      arrays_(at(view.count())) {
    for (int first = 0; first < view.count(); ++first) {
        std::vector<double>& parts = parts_[at(first)];
        parts.push_back(0.0);
        for (int e = first; e < view.count() && view.first_possible(e) <= first; ++e) {
            entering_[at(first)].push_back(entering(e, first));
            arrays_[at(first)].push_back(array_of(e, first, false));
            parts.push_back(parts.back() + of(e, first, {}));
        }
    }
}

// The tensor is there before the group begins. What one einsum alone reads from outside is counted whatever the group.
bool GroupFloors::comes_in(int tensor, int first) const {
    return std::ranges::all_of(view_.cascade().tensors[at(tensor)].writers,
                               [&](const TensorUse& use) { return use.einsum < first; });
}

// Words that the einsum is the first of the group to read, by itself or by way of a store, and that no other einsum
// pays for.
Traffic GroupFloors::entering(int e, int first) const {
    const CascadeEinsum& one = view_.cascade().einsums[at(e)];
    Traffic moved;
    for (int t = 0; t < one.einsum.tensor_count(); ++t) {
        const int tensor = one.accesses[at(t)].tensor;
        if (one.einsum.tensors[at(t)].written || !comes_in(tensor, first)) continue;
        const std::vector<TensorUse>& readers = view_.cascade().tensors[at(tensor)].readers;
        const bool was_read = std::ranges::any_of(readers, [&](const TensorUse& use) {
            return first <= use.einsum && (use.einsum < e || (use.einsum == e && use.operand < t));
        });
        if (!was_read) moved.add_in(least_[at(e)].words[at(t)], machine_.dram.share_of(one.einsum.tensors[at(t)].bits));
    }
    return moved;
}

double GroupFloors::of(int e, int first, const Floor& array) const {
    return value_of(e, larger(array, arrays_[at(first)][at(e - first)]), entering_[at(first)][at(e - first)]);
}

double GroupFloors::value_of(int e, const Floor& array, const Traffic& moved) const {
    return with_traffic(machine_, array, moved, weights_).value * static_cast<double>(view_.repeats(e));
}

// What the group makes is in the buffer. The last einsum makes all of its results.
Floor GroupFloors::array_of(int e, int first, bool is_last) const {
    const CascadeEinsum& one = view_.cascade().einsums[at(e)];
    std::vector<double> paid = least_[at(e)].paid;
    for (int t = 0; t < one.einsum.tensor_count(); ++t) {
        const bool written = one.einsum.tensors[at(t)].written;
        const bool is_made =
            std::ranges::any_of(view_.cascade().tensors[at(one.accesses[at(t)].tensor)].writers,
                                [&](const TensorUse& use) { return first <= use.einsum && use.einsum < e; });
        if (written ? !is_last : is_made) paid[at(t)] = -1.0;
    }
    double points = least_[at(e)].points;
    if (is_last) {
        points = 1.0;
        for (const Dimension& dimension : one.einsum.dimensions) points *= static_cast<double>(dimension.extent);
    }
    return array_floor(leaves_.per_point(e, paid), points, weights_);
}

// All of its results are made, and go to the DRAM.
double GroupFloors::last_of(int first, int last, const Floor& array) const {
    Traffic moved = entering_[at(first)][at(last - first)];
    moved.add(least_[at(last)].results);
    return value_of(last, larger(array, array_of(last, first, true)), moved);
}

double GroupFloors::whole(int first, int last) const { return part(first, last) + last_of(first, last, {}); }

double GroupFloors::whole(int first, int last, int start, const std::vector<Floor>& array) const {
    double sum = last_of(first, last, array[at(last - start)]);
    for (int e = first; e < last; ++e) sum += of(e, first, array[at(e - start)]);
    return sum;
}

}  // namespace tilewright::fusion
