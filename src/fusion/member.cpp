#include "fusion/member.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "fusion/machine/machine.hpp"

namespace tilewright::fusion {
namespace {

void add(Floor& sum, const Floor& one, double times) {
    sum.cost.energy_pj += times * one.cost.energy_pj;
    sum.cost.cycles += times * one.cost.cycles;
    sum.value += times * one.value;
}

}  // namespace

std::size_t Members::Hash::operator()(const MemberQuestion& question) const {
    NumberHash hash(question.held.bits());
    for (const std::int64_t number :
         {std::int64_t{question.einsum}, std::int64_t{question.marching[0]}, std::int64_t{question.marching[1]},
          std::int64_t{question.made[0]}, std::int64_t{question.made[1]}, question.slices,
          std::int64_t{question.sliced}, std::int64_t{question.reduces}})
        hash.add(number);
    return hash.value();
}

const MemberView& Members::view(int einsum, const Marching& marching) {
    const auto [entry, is_new] = views_.try_emplace({einsum, marching});
    if (is_new) entry->second = context_.view.member(einsum, marching);
    return entry->second;
}

std::vector<BoxKind> Members::kinds(const MemberQuestion& question) const {
    const Einsum& einsum = context_.view.cascade().einsums[at(question.einsum)].einsum;
    std::vector<std::int64_t> extents;
    for (const Dimension& dimension : einsum.dimensions) extents.push_back(dimension.extent);
    if (question.sliced >= 0) extents[at(question.sliced)] /= question.slices;
    std::vector<BoxKind> kinds;
    const std::int64_t resumed = question.reduces ? question.slices - 1 : 0;
    const std::int64_t each = question.reduces ? 1 : question.slices;
    for (const auto& [outer, outer_count] : context_.steps.by_length(question.made[0]))
        for (const auto& [inner, inner_count] : context_.steps.by_length(question.made[1])) {
            if (question.marching[0] >= 0) extents[at(question.marching[0])] = outer;
            if (question.marching[1] >= 0) extents[at(question.marching[1])] = inner;
            kinds.push_back({{extents, question.held, resumed}, outer_count * inner_count * each});
        }
    return kinds;
}

MemberFront Members::ranked(int einsum, const LeafQuestion& question) const {
    MemberFront front;
    for (const LeafPoint& point : context_.leaves.front(einsum, question)) {
        const auto score = context_.weights.score(point.energy_pj, point.cycles);
        if (!front.empty() && score >= context_.weights.score(front.back().energy_pj, front.back().cycles)) continue;
        if (!front.empty() && front.back().words == point.words) front.pop_back();
        front.push_back({point.words, score.first, point.energy_pj, point.cycles});
    }
    return front;
}

const MemberFront& Members::front(const MemberQuestion& question) {
    const auto [entry, is_new] = fronts_.try_emplace(question);
    if (!is_new) return entry->second;
    throw_if_stopped(context_.stop);
    MemberFront all{{0, 0.0, 0.0, 0.0}};
    const auto repeats = static_cast<double>(context_.view.repeats(question.einsum));
    for (const BoxKind& kind : kinds(question)) {
        MemberFront one = ranked(question.einsum, kind.leaf);
        const double times = static_cast<double>(kind.calls) * repeats;
        for (MemberPoint& point : one) {
            point.value *= times;
            point.energy_pj *= times;
            point.cycles *= times;
        }
        all = sum(all, one);
    }
    entry->second = std::move(all);
    return entry->second;
}

Floor Members::all_of(const MemberQuestion& question, const BoxKind& kind, const Floor& one) const {
    const double times = static_cast<double>(kind.calls) * static_cast<double>(context_.view.repeats(question.einsum));
    return {{times * one.cost.energy_pj, times * one.cost.cycles}, times * one.value};
}

// Of a leaf that no tile was looked at for: the cheapest of its corners.
Floor Members::floor_of(const MemberQuestion& question, const BoxKind& kind) const {
    const std::span<const LeafPoint> corners = context_.leaves.corners(question.einsum, kind.leaf);
    Floor floor{{corners.front().energy_pj, corners.back().cycles}, std::numeric_limits<double>::infinity()};
    for (const LeafPoint& corner : corners)
        floor.value = std::min(floor.value, context_.weights.value(corner.energy_pj, corner.cycles));
    return all_of(question, kind, floor);
}

Members::Boxes& Members::floor_of_boxes(const MemberQuestion& question) {
    const auto [entry, is_new] = floors_.try_emplace(question);
    Boxes& boxes = entry->second;
    if (!is_new) return boxes;
    std::vector<std::pair<double, BoxKind>> by_value;
    for (BoxKind& kind : kinds(question)) {
        const Floor all = floor_of(question, kind);
        add(boxes.floor, all, 1.0);
        by_value.emplace_back(all.value, std::move(kind));
    }
    std::ranges::sort(by_value, {}, [](const auto& one) { return one.first; });
    for (auto& [value, kind] : by_value) boxes.rest.push_back(std::move(kind));
    return boxes;
}

// One kind of box after the other costs what the best of its front does, in place of its floor.
bool Members::exceeds(const MemberQuestion& question, const std::function<bool(const Floor&)>& is_too_much) {
    Boxes& boxes = floor_of_boxes(question);
    while (!boxes.rest.empty()) {
        if (is_too_much(boxes.floor)) return true;
        throw_if_stopped(context_.stop);
        const BoxKind kind = std::move(boxes.rest.back());
        boxes.rest.pop_back();
        const MemberFront front = ranked(question.einsum, kind.leaf);
        if (front.empty()) {
            boxes.rest.clear();
            constexpr double kNoRoom = std::numeric_limits<double>::max() / 4.0;
            boxes.floor = {{kNoRoom, kNoRoom}, kNoRoom};
            break;
        }
        const MemberPoint& best = front.back();
        add(boxes.floor, floor_of(question, kind), -1.0);
        add(boxes.floor, all_of(question, kind, {{best.energy_pj, best.cycles}, best.value}), 1.0);
    }
    return is_too_much(boxes.floor);
}

}  // namespace tilewright::fusion
