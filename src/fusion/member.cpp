#include "fusion/member.hpp"

#include <algorithm>

#include "fusion/machine/indices.hpp"

namespace tilewright::fusion {
namespace {

using Lengths = std::map<std::int64_t, std::int64_t>;  // of intervals that are not empty, and how many

Lengths lengths(const Sequence& sequence) {
    Lengths all;
    for (const Interval& interval : sequence)
        if (!interval.empty()) ++all[interval.high - interval.low + 1];
    return all;
}

}  // namespace

std::vector<BoxKind> Members::kinds(const MemberQuestion& question) const {
    const Einsum& einsum = context_.view.cascade().einsums[at(question.einsum)].einsum;
    std::vector<std::int64_t> extents;
    for (const Dimension& dimension : einsum.dimensions) extents.push_back(dimension.extent);
    if (question.sliced >= 0) extents[at(question.sliced)] /= question.slices;
    std::vector<BoxKind> kinds;
    const std::int64_t resumed = question.reduces ? question.slices - 1 : 0;
    const std::int64_t each = question.reduces ? 1 : question.slices;
    for (const auto& [outer, outer_count] : lengths(context_.steps[question.made[0]]))
        for (const auto& [inner, inner_count] : lengths(context_.steps[question.made[1]])) {
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

double Members::floor(const MemberQuestion& question, const MemberView& view) {
    const Einsum& einsum = context_.view.cascade().einsums[at(question.einsum)].einsum;
    const auto total = [&](std::size_t k) { return static_cast<double>(context_.steps.total(question.made[k])); };
    double points = 1.0;
    for (int d = 0; d < einsum.dimension_count(); ++d)
        if (d != question.marching[0] && d != question.marching[1])
            points *= static_cast<double>(einsum.dimensions[at(d)].extent);
    points *= total(0) * total(1);
    double steps = 1.0;
    for (std::size_t k = 0; k < 2; ++k)
        steps *= static_cast<double>(std::ranges::count_if(context_.steps[question.made[k]],
                                                           [](const Interval& interval) { return !interval.empty(); }));
    double in = 0.0;
    double out = 0.0;
    for (std::size_t t = 0; t < view.operands.size(); ++t) {
        if (question.held.has(static_cast<int>(t))) continue;
        const OperandView& operand = view.operands[t];
        const auto each = static_cast<double>(operand.words_each);
        if (operand.written) out += each * total(0) * total(1);
        if (!operand.written && operand.following == Following::none) in += each * steps;
    }
    const LeastPerPoint& least = context_.leaves.least(question.einsum);
    const Words dram{in, 0.0, out};
    const double energy = points * least.energy_pj + energy_pj(context_.machine.dram, dram) +
                          energy_pj(context_.machine.buffer, {0.0, in, 0.0});
    const double cycle_count = std::max(points * least.cycles, (in + out) / context_.machine.dram.shared_rate);
    return context_.weights.value(energy, cycle_count) * static_cast<double>(context_.view.repeats(question.einsum));
}

}  // namespace tilewright::fusion
