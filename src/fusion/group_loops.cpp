#include "fusion/group_loops.hpp"

#include <algorithm>
#include <limits>
#include <optional>

#include "fusion/machine/machine.hpp"

namespace tilewright::fusion {
namespace {

constexpr double kNone = std::numeric_limits<double>::infinity();
constexpr std::size_t kMost = 64;  // ways along one loop that are told apart

}  // namespace

std::size_t LoopFloors::HashBox::operator()(const Box& box) const {
    const auto& [einsum, outer, inner] = box;
    NumberHash hash(static_cast<std::uint64_t>(einsum));
    for (const int number : {outer.first, outer.second, inner.first, inner.second}) hash.add(number);
    return hash.value();
}

std::vector<Floor> LoopFloors::array_costs(const GroupEnd& end, const std::vector<LeastCost>& least) {
    const auto [entry, is_new] = hulls_.try_emplace({end.last, end.marching, end.tile});
    if (is_new) entry->second = hulls_of(end, least);
    constexpr double kRounding = 1.0 - 1e-12;
    std::vector<Floor> floors;
    for (int e = end.first_allowed; e <= end.last; ++e) {
        Floor floor =
            array_floor(context_.leaves.per_point(e, least[at(e)].paid), least[at(e)].points, context_.weights);
        for (const Hull& hull : entry->second[at(e - end.first_allowed)]) {
            if (hull.empty()) continue;
            floor.cost = {std::max(floor.cost.energy_pj, hull.front().energy_pj * kRounding),
                          std::max(floor.cost.cycles, hull.back().cycles * kRounding)};
            floor.value = std::max(floor.value, least_value(hull, context_.weights) * kRounding);
        }
        floors.push_back(floor);
    }
    return floors;
}

std::vector<LoopFloors::Along> LoopFloors::hulls_of(const GroupEnd& end, const std::vector<LeastCost>& least) {
    const Einsum& einsum = context_.view.cascade().einsums[at(end.last)].einsum;
    std::vector<Reach> reach(at(end.last) + 1);
    for (std::size_t k = 0; k < 2; ++k) {
        const int d = end.marching[k];
        const int made =
            d < 0 ? context_.steps.cut(1, 1) : context_.steps.cut(einsum.dimensions[at(d)].extent, end.tile[k]);
        reach.back().ways[k].insert({d, made});
    }
    for (int e = end.last - 1; e >= end.first_allowed; --e) reach[at(e)] = made_of(e, reach, end);
    std::vector<Along> hulls;
    for (int e = end.first_allowed; e <= end.last; ++e)
        hulls.push_back(hulls_of(e, reach[at(e)], paid_of(e, e == end.last, least)));
    return hulls;
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

// What is made for others of the group lies in the buffer.
std::vector<double> LoopFloors::paid_of(int e, bool is_last, const std::vector<LeastCost>& least) const {
    const Einsum& einsum = context_.view.cascade().einsums[at(e)].einsum;
    std::vector<double> paid = least[at(e)].paid;
    for (int t = 0; t < einsum.tensor_count(); ++t)
        if (einsum.tensors[at(t)].written && !is_last) paid[at(t)] = -1.0;
    return paid;
}

LoopFloors::Along LoopFloors::hulls_of(int e, const Reach& reach, const std::vector<double>& paid) {
    if (!context_.leaves.knows_boxes() || reach.any || reach.ways[0].empty() || reach.ways[1].empty()) return {};
    return {hull_along(e, reach, 0, paid), hull_along(e, reach, 1, paid)};
}

// Each sequence of one loop by itself, with the cheapest lengths and the fewest places of the other loop.
Hull LoopFloors::hull_along(int e, const Reach& reach, std::size_t k, const std::vector<double>& paid) {
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
    std::map<Made, Hull> known;
    const auto cheapest = [&](const Made& one) -> const Hull& {
        const auto [entry, is_new] = known.try_emplace(one);
        if (!is_new) return entry->second;
        std::vector<Cost> points;
        for (const Made& other : other_lengths) {
            const Hull& hull = k == 0 ? per_point(e, one, other, paid) : per_point(e, other, one, paid);
            points.insert(points.end(), hull.begin(), hull.end());
        }
        return entry->second = hull_of(std::move(points));
    };
    std::vector<Cost> best;
    for (const auto& [d, sequence] : reach.ways[k]) {
        Hull made{{}};
        for (const auto& [length, count] : context_.steps.by_length(sequence)) {
            Hull one = cheapest({d, static_cast<int>(length)});
            const double points = static_cast<double>(length * count) / extent(d) * others * all;
            for (Cost& corner : one) corner = {points * corner.energy_pj, points * corner.cycles};
            made = sum(made, one);
        }
        best.insert(best.end(), made.begin(), made.end());
    }
    return hull_of(std::move(best));
}

// A box of these lengths, wherever its operands are.
const Hull& LoopFloors::per_point(int e, const Made& outer, const Made& inner, const std::vector<double>& paid) {
    const bool holds_results = std::ranges::any_of(paid, [](double words) { return words < 0.0; });
    const auto [entry, is_new] = boxes_.try_emplace({2 * e + (holds_results ? 1 : 0), outer, inner});
    if (!is_new) return entry->second;
    std::vector<std::int64_t> extents;
    for (const Dimension& dimension : context_.view.cascade().einsums[at(e)].einsum.dimensions)
        extents.push_back(dimension.extent);
    if (outer.first >= 0) extents[at(outer.first)] = outer.second;
    if (inner.first >= 0) extents[at(inner.first)] = inner.second;
    return entry->second = context_.leaves.per_point_of(e, extents, paid);
}

}  // namespace tilewright::fusion
