#include "fusion/search.hpp"

#include <algorithm>
#include <limits>

#include "base/numbers/factors.hpp"
#include "fusion/group.hpp"
#include "fusion/machine/indices.hpp"

namespace tilewright::fusion {
namespace {

constexpr double kRounding = 1e-12;
// What is known already is looked at with all that costs as much to rounding, so that it is exact afterwards.
constexpr double kFarther = 1e-9;

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

GroupCosts Search::floors() const {
    std::vector<double> least;
    std::vector<double> alone;
    std::vector<int> first_allowed;
    for (int e = 0; e < view_.count(); ++e) {
        const Cost& cost = least_[at(e)].cost;
        least.push_back(context_.weights.value(cost.energy_pj, cost.cycles));
        alone.push_back(floor_alone(e));
        first_allowed.push_back(std::max(view_.first_possible(e), e + 1 - limits_.longest_group));
    }
    return {std::move(least), alone, std::move(first_allowed)};
}

double Search::floor_alone(int e) const {
    double points = 1.0;
    for (const Dimension& dimension : view_.cascade().einsums[at(e)].einsum.dimensions)
        points *= static_cast<double>(dimension.extent);
    const Cost least = least_cost(context_.machine, context_.leaves.least(e), points, least_[at(e)].alone);
    return context_.weights.value(least.energy_pj, least.cycles) * static_cast<double>(view_.repeats(e));
}

Best Search::best(const Weights& weights, const Known& known) {
    context_.weights = weights;
    context_.alone.clear();
    context_.least_sums.assign(1, 0.0);
    for (const LeastCost& one : least_)
        context_.least_sums.push_back(context_.least_sums.back() + weights.value(one.cost.energy_pj, one.cost.cycles));
    if (limits_.longest_group == 1)
        for (const LeastCost& one : least_) context_.alone.push_back(one.alone);
    GroupCosts costs = floors();
    for (const FusionPlan& plan : known)
        for (const GroupPlan& group : plan.groups) costs.learn(group, weights.score(group.energy_pj, group.cycles));
    Best best;
    best.proofs = 1;
    try {
        deepen(costs, best);
    } catch (const Stopped&) {
        best.stopped = true;
    }
    best.plan = costs.best_known(weights);
    best.bound = costs.least();
    for (int e = 0; e <= costs.count(); ++e) best.duals.push_back(std::min(costs.after(e), best.bound));
    return best;
}

// All groups on paths under a guess are looked at, from the last einsum to the first, so that most have an exact rest.
// The guess grows until the cheapest path by floors is exact.
void Search::deepen(GroupCosts& costs, Best& best) {
    constexpr double kFirstGap = 0.01;
    constexpr double kLastGap = 1e9;  // beyond this nothing fits into the buffer at all
    const double least = costs.least();
    Members members(context_);
    for (double gap = kFirstGap; costs.least() < GroupCost::kUnknown && is_open(costs); gap *= 2.0) {
        const double guess = gap > kLastGap ? GroupCost::kUnknown : least * (1.0 + gap);
        for (int last = costs.count() - 1; last >= 0; --last) {
            const double bound = std::min(guess, costs.known() * (1.0 + kFarther));
            if (costs.open_through(last) <= bound * (1.0 - kRounding)) look_at(last, bound, costs, members);
        }
        ++best.rounds;
    }
}

bool Search::is_open(const GroupCosts& costs) {
    for (int last = 0; last < costs.count(); ++last)
        if (costs.open_through(last) <= costs.least() * (1.0 + kRounding)) return true;
    return false;
}

// Every group that ends with this einsum and lies on a path of at most `bound`.
void Search::look_at(int last, double bound, GroupCosts& costs, Members& members) {
    context_.last = last;
    context_.bound = bound;
    context_.before = costs.before_inside(last);
    context_.afterwards = costs.after(last + 1);
    context_.best_alone = costs.of(last, last).best;
    context_.decisions.clear();
    Segments segments(context_, members);
    Groups groups(context_, segments);
    const Einsum& einsum = view_.cascade().einsums[at(last)].einsum;
    const bool is_alone = limits_.longest_group == 1;
    for (const auto& [ranks, may_be_whole] : view_.loops(last)) {
        const Marching& marching = ranks;
        for (const std::int64_t outer : tiles_of(einsum, marching[0], may_be_whole, is_alone))
            for (const std::int64_t inner : tiles_of(einsum, marching[1], may_be_whole, is_alone))
                groups.run({last, marching, {outer, inner}, costs.first_allowed(last)},
                           [&](int first, const Label& label) {
                               const std::pair score = context_.weights.score(label.energy_pj, label.cycles);
                               if (score >= costs.of(first, last).best) return;
                               if (first == last) context_.best_alone = score;
                               costs.learn(group_of(first, last, marching, {outer, inner}, label), score);
                               context_.bound = std::min(context_.bound, costs.known() * (1.0 + kFarther));
                           });
    }
    costs.looked_at(last, context_.bound);
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

}  // namespace tilewright::fusion
