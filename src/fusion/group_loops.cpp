#include "fusion/group_loops.hpp"

#include <algorithm>
#include <limits>
#include <optional>

#include "fusion/machine/indices.hpp"
#include "fusion/machine/number_hash.hpp"

namespace tilewright::fusion {
namespace {

constexpr double kNone = std::numeric_limits<double>::infinity();
constexpr std::size_t kMost = 64;  // ways along one loop that are told apart

Cost smaller(const Cost& a, const Cost& b) {
    return {std::min(a.energy_pj, b.energy_pj), std::min(a.cycles, b.cycles)};
}

}  // namespace

std::size_t LoopFloors::HashBox::operator()(const Box& box) const {
    const auto& [einsum, outer, inner] = box;
    NumberHash hash(static_cast<std::uint64_t>(einsum));
    for (const int number : {outer.first, outer.second, inner.first, inner.second}) hash.add(number);
    return hash.value();
}

const std::vector<Cost>& LoopFloors::array_costs(const GroupEnd& end, const std::vector<LeastCost>& least) {
    const auto [entry, is_new] = costs_.try_emplace({end.last, end.marching, end.tile});
    std::vector<Cost>& costs = entry->second;
    if (!is_new) return costs;
    const Einsum& einsum = context_.view.cascade().einsums[at(end.last)].einsum;
    std::vector<Reach> reach(at(end.last) + 1);
    for (std::size_t k = 0; k < 2; ++k) {
        const int d = end.marching[k];
        const int made =
            d < 0 ? context_.steps.cut(1, 1) : context_.steps.cut(einsum.dimensions[at(d)].extent, end.tile[k]);
        reach.back().ways[k].insert({d, made});
    }
    for (int e = end.last - 1; e >= end.first_allowed; --e) reach[at(e)] = made_of(e, reach, end);
    for (int e = end.first_allowed; e <= end.last; ++e) costs.push_back(cost_of(e, reach[at(e)], least[at(e)]));
    return costs;
}

// What can be made of the einsum's results: as needed, or what the steps before did not leave.
LoopFloors::Reach LoopFloors::made_of(int e, const std::vector<Reach>& reach, const GroupEnd& end) {
    const CascadeEinsum& one = context_.view.cascade().einsums[at(e)];
    Reach made;
    for (int t = 0; t < one.einsum.tensor_count(); ++t) {
        const int tensor = one.accesses[at(t)].tensor;
        if (!one.einsum.tensors[at(t)].written || !context_.view.may_stay_inside(tensor, end.last)) continue;
        const Reach needs = needs_of(tensor, reach, e);
        made.any = made.any || needs.any;
        for (std::size_t k = 0; k < 2; ++k)
            for (const auto& [axis, sequence] : needs.ways[k]) {
                const int d = axis < 0 ? -1 : context_.view.dimension_of(e, t, axis);
                if (axis >= 0 && d < 0) continue;
                made.ways[k].insert({d, sequence});
                made.ways[k].insert({d, context_.steps.fresh(sequence)});
            }
    }
    return made;
}

// What all readers need together, the last one first.
LoopFloors::Reach LoopFloors::needs_of(int tensor, const std::vector<Reach>& reach, int writer) {
    const std::vector<TensorUse>& readers = context_.view.cascade().tensors[at(tensor)].readers;
    Reach all;
    for (auto use = readers.rbegin(); use != readers.rend(); ++use) {
        Reach needs;
        if (use->einsum <= writer || reach[at(use->einsum)].any) return {{}, true};
        add_needs(use->einsum, use->operand, reach[at(use->einsum)], needs);
        for (std::size_t k = 0; k < 2; ++k) {
            if (use == readers.rbegin()) {
                all.ways[k] = needs.ways[k];
                continue;
            }
            std::set<Made> both;
            for (const Made& a : all.ways[k])
                for (const Made& b : needs.ways[k]) {
                    if (a.first != b.first) continue;
                    const std::optional<int> around = context_.steps.around(a.second, b.second);
                    if (!around) return {{}, true};
                    both.insert({a.first, *around});
                }
            all.ways[k] = std::move(both);
        }
        if (all.ways[0].size() > kMost || all.ways[1].size() > kMost) return {{}, true};
    }
    return all;
}

void LoopFloors::add_needs(int e, int operand, const Reach& reach, Reach& needs) {
    for (std::size_t k = 0; k < 2; ++k)
        for (const auto& [d, sequence] : reach.ways[k]) {
            if (d < 0) {
                needs.ways[k].insert({-1, sequence});
                continue;
            }
            const OperandView& view = view_along(e, d).operands[at(operand)];
            if (view.following != Following::both) continue;  // a leaf reads it by itself, or it stays whole
            const int axis = view.axes[0];
            needs.ways[k].insert({axis, context_.steps.window(sequence, e, operand, axis, d)});
        }
}

const MemberView& LoopFloors::view_along(int e, int dimension) {
    const auto [entry, is_new] = views_.try_emplace({e, dimension});
    if (is_new) entry->second = context_.view.member(e, {dimension, -1});
    return entry->second;
}

Cost LoopFloors::cost_of(int e, const Reach& reach, const LeastCost& least) {
    const LeastPerPoint& array = context_.leaves.least(e);
    Cost floor{least.points * array.energy_pj, least.points * array.cycles};
    if (!context_.leaves.cheapest_held() || reach.any || reach.ways[0].empty() || reach.ways[1].empty()) return floor;
    for (const std::size_t k : {std::size_t{0}, std::size_t{1}}) {
        constexpr double kRounding = 1.0 - 1e-12;
        const Cost one = cost_along(e, reach, k);
        floor.energy_pj = std::max(floor.energy_pj, one.energy_pj * kRounding);
        floor.cycles = std::max(floor.cycles, one.cycles * kRounding);
    }
    return floor;
}

// Each sequence of one loop by itself, with the cheapest lengths and the fewest places of the other loop.
Cost LoopFloors::cost_along(int e, const Reach& reach, std::size_t k) {
    const Einsum& einsum = context_.view.cascade().einsums[at(e)].einsum;
    double all = 1.0;
    for (const Dimension& dimension : einsum.dimensions) all *= static_cast<double>(dimension.extent);
    const auto extent = [&](int d) { return d < 0 ? 1.0 : static_cast<double>(einsum.dimensions[at(d)].extent); };
    std::set<Made> other_lengths;
    double others = kNone;  // share of the other dimension's extent that is made
    for (const auto& [d, sequence] : reach.ways[1 - k]) {
        others = std::min(others, static_cast<double>(context_.steps.total(sequence)) / extent(d));
        for (const auto& [length, count] : context_.steps.by_length(sequence))
            other_lengths.insert({d, static_cast<int>(length)});
    }
    std::map<Made, Cost> known;
    const auto cheapest = [&](const Made& one) {
        const auto [entry, is_new] = known.try_emplace(one, Cost{kNone, kNone});
        for (const Made& other : other_lengths)
            if (is_new)
                entry->second = smaller(entry->second, k == 0 ? per_point(e, one, other) : per_point(e, other, one));
        return entry->second;
    };
    Cost best{kNone, kNone};
    for (const auto& [d, sequence] : reach.ways[k]) {
        Cost sum;
        for (const auto& [length, count] : context_.steps.by_length(sequence)) {
            const Cost one = cheapest({d, static_cast<int>(length)});
            const double points = static_cast<double>(length * count) / extent(d) * others * all;
            sum = {sum.energy_pj + points * one.energy_pj, sum.cycles + points * one.cycles};
        }
        best = smaller(best, sum);
    }
    return best;
}

// A box of these lengths whose operands are all in the buffer.
Cost LoopFloors::per_point(int e, const Made& outer, const Made& inner) {
    const auto [entry, is_new] = boxes_.try_emplace({e, outer, inner});
    if (!is_new) return entry->second;
    const Einsum& einsum = context_.view.cascade().einsums[at(e)].einsum;
    LeafQuestion question{{}, TensorSet::all(einsum.tensor_count()), 0};
    for (const Dimension& dimension : einsum.dimensions) question.extents.push_back(dimension.extent);
    if (outer.first >= 0) question.extents[at(outer.first)] = outer.second;
    if (inner.first >= 0) question.extents[at(inner.first)] = inner.second;
    double points = 1.0;
    for (const std::int64_t extent : question.extents) points *= static_cast<double>(extent);
    const LeafPoint& floor = context_.leaves.floor(e, question);
    return entry->second = {floor.energy_pj / points, floor.cycles / points};
}

}  // namespace tilewright::fusion
