#include "fusion/group_costs.hpp"

#include <algorithm>

#include "fusion/machine/indices.hpp"

namespace tilewright::fusion {

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

}  // namespace tilewright::fusion
