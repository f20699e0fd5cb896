#include "fusion/search.hpp"

#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

#include "base/numbers/factors.hpp"
#include "fusion/group.hpp"
#include "fusion/machine/machine.hpp"

namespace tilewright::fusion {
namespace {

constexpr double kRounding = 1e-12;
// What is known already is looked at with all that costs as much to rounding, so that it is exact afterwards.
constexpr double kFarther = 1e-9;

// Steps of a shared loop, the largest first: what is found there cuts much of what follows.
std::vector<std::int64_t> tiles_of(const Einsum& einsum, int dimension, bool may_be_whole) {
    if (dimension < 0) return {1};
    std::vector<std::int64_t> tiles = divisors(einsum.dimensions[at(dimension)].extent);
    if (!may_be_whole) tiles.pop_back();
    std::ranges::reverse(tiles);
    return tiles;
}

// Shares of two weights that add up to no more than `sum`; nothing where there are none of both.
struct Shares {
    double a = 0.0;
    double b = 0.0;
};

std::optional<Shares> shares_of(const Weights& sum, const Weights& a, const Weights& b) {
    const double det = a.energy * b.cycles - a.cycles * b.energy;
    constexpr double kParallel = 1e-6;
    if (std::abs(det) <= kParallel * (a.energy * b.cycles + a.cycles * b.energy)) {
        const double energy = a.energy > 0.0 ? sum.energy / a.energy : GroupCost::kUnknown;
        const double cycles = a.cycles > 0.0 ? sum.cycles / a.cycles : GroupCost::kUnknown;
        return Shares{std::min(energy, cycles), 0.0};
    }
    const Shares shares{(sum.energy * b.cycles - sum.cycles * b.energy) / det,
                        (a.energy * sum.cycles - a.cycles * sum.energy) / det};
    if (shares.a < 0.0 || shares.b < 0.0) return std::nullopt;
    return shares;
}

}  // namespace

Search::Search(const CascadeView& view, const Machine& machine, Leaves& leaves, SearchLimits limits,
               const StopSource* stop)
    : view_(view),
      limits_(std::move(limits)),
      steps_(view.cascade()),
      context_{view, machine, steps_, leaves, stop},
      least_(least_costs(view, machine, leaves)),
      loops_(context_) {
    context_.sum_bits = limits_.sum_bits;
}

Cost Search::least() const {
    Cost sum;
    for (const LeastCost& one : least_) {
        sum.energy_pj += one.cost.energy_pj;
        sum.cycles += one.cost.cycles;
    }
    return sum;
}

Lines Search::floors() const {
    constexpr Weights kEnergy{1.0, 0.0};
    constexpr Weights kCycles{0.0, 1.0};
    const Cost all = least();
    return {{kEnergy, all.energy_pj, {}, least_after(kEnergy)}, {kCycles, all.cycles, {}, least_after(kCycles)}};
}

// By einsum, and 0 for the end: what it and all after it cost at least whatever is fused.
std::vector<double> Search::least_after(const Weights& weights) const {
    std::vector<double> after(least_.size() + 1, 0.0);
    for (std::size_t e = least_.size(); e > 0; --e)
        after[e - 1] = after[e] + weights.value(least_[e - 1].cost.energy_pj, least_[e - 1].cost.cycles);
    return after;
}

std::vector<GroupEnd> Search::ends(int last) const {
    std::vector<GroupEnd> all;
    const Einsum& einsum = view_.cascade().einsums[at(last)].einsum;
    for (const auto& [marching, may_be_whole] : view_.loops(last))
        for (const std::int64_t outer : tiles_of(einsum, marching[0], may_be_whole))
            for (const std::int64_t inner : tiles_of(einsum, marching[1], may_be_whole))
                all.push_back({last, marching, {outer, inner}, first_allowed(last)});
    return all;
}

GroupCosts Search::costs_of(const GroupFloors& floors) {
    std::vector<int> all_first;
    std::vector<std::vector<double>> all;
    for (int last = 0; last < view_.count(); ++last) {
        all_first.push_back(first_allowed(last));
        std::vector<double>& by_first = all.emplace_back();
        for (int first = all_first.back(); first <= last; ++first) by_first.push_back(floors.whole(first, last));
        raise_by_loops(last, floors, by_first);
        raise_by_proven(last, by_first);
    }
    return {std::move(all_first), all};
}

// A group has some loops. Without what they lead to, floors are as sure, but lower.
void Search::raise_by_loops(int last, const GroupFloors& floors, std::vector<double>& by_first) {
    if (!context_.leaves.knows_boxes()) return;
    const int start = first_allowed(last);
    std::vector<double> least(by_first.size(), GroupCost::kUnknown);
    for (const GroupEnd& end : ends(last)) {
        if (context_.stop != nullptr && context_.stop->requested()) return;
        const std::vector<Floor> array = loops_.array_costs(end, least_);
        for (std::size_t i = 0; i < least.size(); ++i)
            least[i] = std::min(least[i], floors.whole(start + static_cast<int>(i), last, start, array));
    }
    for (std::size_t i = 0; i < least.size(); ++i) by_first[i] = std::max(by_first[i], least[i] * (1.0 - kRounding));
}

// What holds for two weights holds for the sums of their shares.
void Search::raise_by_proven(int last, std::vector<double>& by_first) const {
    const Weights& weights = context_.weights;
    const auto raise = [&](const Shares& shares, const Proven& a, const Proven& b) {
        for (std::size_t i = 0; i < by_first.size(); ++i) {
            const double floor = shares.a * a.floors[at(last)][i] + shares.b * b.floors[at(last)][i];
            if (floor < GroupCost::kUnknown) by_first[i] = std::max(by_first[i], floor * (1.0 - kRounding));
        }
    };
    for (std::size_t i = 0; i < proven_.size(); ++i)
        for (std::size_t j = i; j < proven_.size(); ++j)
            if (const auto shares = shares_of(weights, proven_[i].weights, proven_[j].weights))
                raise(*shares, proven_[i], proven_[j]);
}

Best Search::best(const Weights& weights, const Known& known) {
    context_.weights = weights;
    const GroupFloors floors(view_, context_.machine, context_.leaves, least_, weights);
    GroupCosts costs = costs_of(floors);
    for (const FusionPlan& plan : known)
        for (const GroupPlan& group : plan.groups) costs.learn(group, weights.score(group.energy_pj, group.cycles));
    Best best;
    best.proofs = 1;
    try {
        deepen(costs, floors, best);
    } catch (const Stopped&) {
        best.stopped = true;
    }
    best.plan = costs.best_known(weights);
    best.bound = costs.least();
    proven_.push_back({weights, costs.floors()});
    best.duals = duals_of(costs, best.bound);
    return best;
}

// As low as they may be, so that most groups hold them by what their einsums cost whatever is fused.
std::vector<double> Search::duals_of(const GroupCosts& costs, double bound) const {
    std::vector<double> duals;
    double before = 0.0;
    for (int e = 0; e < costs.count(); ++e) {
        duals.push_back(std::min(costs.after(e), bound - before));
        const Cost& one = least_[at(e)].cost;
        before += context_.weights.value(one.energy_pj, one.cycles);
    }
    duals.push_back(0.0);
    return duals;
}

// All groups on paths under a guess are looked at, from the last einsum to the first, so that most have an exact rest.
// The guess grows until the cheapest path by floors is exact: slowly, since work grows much faster than the gap, and
// not in between where the best known partition is near.
void Search::deepen(GroupCosts& costs, const GroupFloors& floors, Best& best) {
    constexpr double kFirstGap = 0.01;
    constexpr double kLastGap = 1e9;   // beyond this nothing fits into the buffer at all
    constexpr double kEndless = 1e24;  // dozens of rounds without a guess: all floors were looked at again and again
    constexpr double kNear = 2.0;
    const auto growth = [](double gap) { return gap < 1.0 ? 1.3 : 8.0; };
    const double least = costs.least();
    Members members(context_);
    for (double gap = kFirstGap; costs.least() < GroupCost::kUnknown && is_open(costs); gap *= growth(gap)) {
        const bool is_near = costs.known() <= least * (1.0 + kNear * gap);
        const double guess = gap > kLastGap || is_near ? GroupCost::kUnknown : least * (1.0 + gap);
        for (int last = costs.count() - 1; last >= 0; --last) {
            const double bound = std::min(guess, costs.known() * (1.0 + kFarther));
            if (costs.open_through(last) <= bound * (1.0 - kRounding)) look_at(last, bound, costs, floors, members);
        }
        ++best.rounds;
        if (costs.least() > costs.known() * (1.0 + kFarther) || gap > kEndless)
            throw std::logic_error("a floor of fused mappings, " + std::to_string(costs.least()) +
                                   ", is above a mapping that was found, " + std::to_string(costs.known()));
    }
}

// What is before each einsum of such a group.
void Search::find_before(const GroupEnd& end, const GroupCosts& costs, const GroupFloors& floors) {
    const std::vector<Floor> array = loops_.array_costs(end, least_);
    const int start = end.first_allowed;
    const std::size_t count = array.size() + 1;
    context_.before.assign(count, std::vector<double>(count, GroupCost::kUnknown));
    for (std::size_t s = 0; s < count; ++s) {
        double before = costs.before(start + static_cast<int>(s));
        context_.before[s][s] = before;
        for (std::size_t e = s + 1; e < count; ++e) {
            before += floors.of(start + static_cast<int>(e) - 1, start + static_cast<int>(s), array[e - 1]);
            context_.before[e][s] = before;
        }
    }
    for (std::vector<double>& by_start : context_.before)
        for (std::size_t s = count - 1; s > 0; --s) by_start[s - 1] = std::min(by_start[s - 1], by_start[s]);
}

bool Search::is_open(const GroupCosts& costs) {
    for (int last = 0; last < costs.count(); ++last)
        if (costs.open_through(last) <= costs.least() * (1.0 + kRounding)) return true;
    return false;
}

// Every group that ends with this einsum and lies on a path of at most `bound`.
void Search::look_at(int last, double bound, GroupCosts& costs, const GroupFloors& floors, Members& members) {
    context_.last = last;
    context_.bound = bound;
    context_.first_allowed = costs.first_allowed(last);
    context_.afterwards = costs.after(last + 1);
    context_.decisions.clear();
    for (const GroupEnd& end : ends(last)) {
        find_before(end, costs, floors);
        look_at(end, costs, members);
    }
    costs.looked_at(last, context_.bound);
}

// Segments are looked for anew for each choice of loops: what is before them bounds them.
void Search::look_at(const GroupEnd& end, GroupCosts& costs, Members& members) {
    if (context_.hopeless(0.0, end.last + 1, end.first_allowed)) return;
    Segments segments(context_, members);
    Groups(context_, segments).run(end, [&](int first, const Label& label) {
        const std::pair score = context_.weights.score(label.energy_pj, label.cycles);
        if (score >= costs.of(first, end.last).best) return;
        costs.learn(group_of(first, end.last, end.marching, end.tile, label), score);
        context_.bound = std::min(context_.bound, costs.known() * (1.0 + kFarther));
    });
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
