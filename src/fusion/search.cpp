#include "fusion/search.hpp"

#include <algorithm>
#include <limits>

#include "base/numbers/factors.hpp"
#include "fusion/group.hpp"
#include "fusion/machine/indices.hpp"

namespace tilewright::fusion {
namespace {

// Steps of a shared loop. For an einsum alone the largest comes first: what it costs cuts nearly all that follows.
std::vector<std::int64_t> tiles_of(const Einsum& einsum, int dimension, bool may_be_whole, bool is_alone) {
    if (dimension < 0) return {1};
    std::vector<std::int64_t> tiles = divisors(einsum.dimensions[at(dimension)].extent);
    if (!may_be_whole) tiles.pop_back();
    if (is_alone && !tiles.empty()) std::ranges::rotate(tiles, std::prev(tiles.end()));
    return tiles;
}

}  // namespace

Search::Search(const CascadeView& view, const Machine& machine, Leaves& leaves, SearchLimits limits,
               const StopSource* stop)
    : view_(view),
      limits_(limits),
      steps_(view.cascade()),
      context_{view, machine, steps_, leaves, stop},
      least_(least_costs(view, machine, leaves)) {}

Cost Search::least() const {
    Cost sum;
    for (const LeastCost& one : least_) {
        sum.energy_pj += one.cost.energy_pj;
        sum.cycles += one.cost.cycles;
    }
    return sum;
}

std::optional<FusionPlan> Search::best(const Weights& weights, double bound) {
    context_.weights = weights;
    if (limits_.longest_group == 1) return best_alone();
    context_.bound = bound;
    context_.least_before.assign(1, 0.0);
    for (const LeastCost& one : least_)
        context_.least_before.push_back(context_.least_before.back() +
                                        weights.value(one.cost.energy_pj, one.cost.cycles));
    std::vector<std::optional<Suffix>> suffixes(at(view_.count()) + 1);
    suffixes.back() = Suffix{};
    for (int last = view_.count() - 1; last >= 0; --last)
        if (suffixes[at(last) + 1]) end_with(last, suffixes);
    if (!suffixes.front()) return std::nullopt;
    return plan_of(suffixes);
}

// Nothing is shared between einsums: each is the best by itself, under guesses of its own.
std::optional<FusionPlan> Search::best_alone() {
    constexpr double kFirstGap = 1e-6;
    constexpr double kLastGap = 1e3;
    context_.least_before.assign(at(view_.count()) + 1, 0.0);
    context_.alone.clear();
    for (const LeastCost& one : least_) context_.alone.push_back(one.alone);
    std::vector<std::optional<Suffix>> suffixes(at(view_.count()) + 1);
    suffixes.back() = Suffix{};
    for (int last = view_.count() - 1; last >= 0; --last) {
        const double afterwards = suffixes[at(last) + 1]->value;
        const double floor = floor_alone(last);
        for (double gap = kFirstGap; !suffixes[at(last)]; gap *= 8.0) {
            const bool is_last = gap > kLastGap;
            context_.bound = is_last ? std::numeric_limits<double>::infinity() : afterwards + floor * (1.0 + gap);
            end_with(last, suffixes);
            if (!suffixes[at(last)] && is_last) return std::nullopt;
        }
    }
    return plan_of(suffixes);
}

double Search::floor_alone(int e) const {
    double points = 1.0;
    for (const Dimension& dimension : view_.cascade().einsums[at(e)].einsum.dimensions)
        points *= static_cast<double>(dimension.extent);
    const Cost least = least_cost(context_.machine, context_.leaves.least(e), points, least_[at(e)].alone);
    return context_.weights.value(least.energy_pj, least.cycles) * static_cast<double>(view_.repeats(e));
}

// Every group that ends with this einsum, before the best of what follows.
void Search::end_with(int last, std::vector<std::optional<Suffix>>& suffixes) {
    context_.last = last;
    context_.afterwards = suffixes[at(last) + 1]->value;
    context_.tie_afterwards = suffixes[at(last) + 1]->tie;
    context_.best_alone = {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
    context_.decisions.clear();
    if (context_.hopeless(0.0, last + 1)) return;
    Members members(context_);
    Segments segments(context_, members);
    Groups groups(context_, segments);
    const Einsum& einsum = view_.cascade().einsums[at(last)].einsum;
    const int first_allowed = std::max(view_.first_possible(last), last + 1 - limits_.longest_group);
    const auto tie_of = [&](const Label& label) {
        return context_.weights.tie(label.energy_pj, label.cycles) + context_.tie_afterwards;
    };
    const bool is_alone = limits_.longest_group == 1;
    for (const auto& [ranks, may_be_whole] : view_.loops(last)) {
        const Marching& marching = ranks;
        for (const std::int64_t outer : tiles_of(einsum, marching[0], may_be_whole, is_alone))
            for (const std::int64_t inner : tiles_of(einsum, marching[1], may_be_whole, is_alone))
                groups.run({last, marching, {outer, inner}, first_allowed}, [&](int first, const Label& label) {
                    const double value = label.value + context_.afterwards;
                    std::optional<Suffix>& best = suffixes[at(first)];
                    if (best && std::pair(value, tie_of(label)) >= std::pair(best->value, best->tie)) return;
                    if (first == last) context_.best_alone = {value, tie_of(label)};
                    best = Suffix{value, tie_of(label), group_of(first, last, marching, {outer, inner}, label)};
                    if (first > 0) return;
                    context_.bound = std::min(context_.bound, value);
                    seen_ = plan_of(suffixes);
                });
    }
}

GroupPlan Search::group_of(int first, int last, const Marching& marching, const std::array<std::int64_t, 2>& tile,
                           const Label& label) const {
    GroupPlan group{first, last, marching, tile, {}, {}, {}, label.energy_pj, label.cycles};
    std::vector<std::int32_t> open{label.decision};
    while (!open.empty()) {
        const std::int32_t i = open.back();
        open.pop_back();
        if (i < 0) continue;
        const Decision& decision = context_.decisions[at(i)];
        open.push_back(decision.previous);
        open.push_back(decision.other);
        switch (decision.kind) {
            case Decision::Kind::member:
                group.members.push_back({decision.subject, decision.ways, decision.size, decision.detail});
                break;
            case Decision::Kind::keep:
                group.kept.push_back({decision.subject, static_cast<Keeping>(decision.detail)});
                break;
            case Decision::Kind::segment:
                group.segments.push_back({decision.subject, decision.detail, decision.size});
                break;
            case Decision::Kind::join: break;
        }
    }
    std::ranges::sort(group.members, {}, &MemberPlan::einsum);
    std::ranges::sort(group.segments, {}, &SegmentPlan::first);
    std::ranges::sort(group.kept, {}, &KeptTensor::tensor);
    return group;
}

FusionPlan Search::plan_of(const std::vector<std::optional<Suffix>>& suffixes) const {
    FusionPlan plan;
    plan.weights = context_.weights;
    for (int first = 0; first < view_.count(); first = plan.groups.back().last + 1) {
        plan.groups.push_back(suffixes[at(first)]->group);
        plan.energy_pj += plan.groups.back().energy_pj;
        plan.cycles += plan.groups.back().cycles;
    }
    return plan;
}

}  // namespace tilewright::fusion
