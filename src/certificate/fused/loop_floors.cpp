#include "certificate/fused/loop_floors.hpp"

#include <algorithm>
#include <limits>
#include <optional>

#include "certificate/fused/place.hpp"

namespace tilewright::certificate::fused_proof {
namespace {

constexpr std::size_t kMost = 64;  // ways that are told apart
constexpr double kNone = std::numeric_limits<double>::infinity();

}  // namespace

std::vector<double> LoopFloors::array_values(int earliest, const Making& last) {
    ways_.assign(place(last.einsum) + 1, {});
    ways_.back().all.insert({last.driven, last.made});
    std::vector<double> values(place(last.einsum - earliest) + 1, kNone);
    values.back() = least(last.einsum, ways_.back());
    for (int e = last.einsum - 1; e >= earliest; --e) {
        Ways& ways = ways_[place(e)];
        ways = ways_of(e, last.einsum);
        if (!ways.any && ways.all.empty()) break;  // nor is any before it
        values[place(e - earliest)] = least(e, ways);
    }
    return values;
}

// All results are made alike.
LoopFloors::Ways LoopFloors::ways_of(int e, int last) {
    const CascadeEinsum& one = space_.cascade().einsums[place(e)];
    std::optional<Ways> all;
    for (int t = 0; t < one.einsum.tensor_count(); ++t) {
        if (!one.einsum.tensors[place(t)].written) continue;
        Ways ways = ways_by(e, t, last);
        if (!all || all->any)
            all = std::move(ways);
        else if (!ways.any)
            std::erase_if(all->all, [&](const Way& way) { return !ways.all.contains(way); });
    }
    return all.value_or(Ways{});
}

// Every reader of the tensor is in the group, and what they ask for together is made.
LoopFloors::Ways LoopFloors::ways_by(int e, int operand, int last) {
    const int tensor = space_.cascade().einsums[place(e)].accesses[place(operand)].tensor;
    if (!space_.may_stay(tensor, last)) return {};
    std::optional<std::set<Asked>> asked;
    for (const TensorUse& use : space_.tensor(tensor).readers) {
        if (use.einsum <= e || ways_[place(use.einsum)].any) return {{}, true};
        std::set<Asked> more = asked_by(use);
        asked = asked ? together(*asked, more) : std::move(more);
        if (!asked || asked->size() > kMost) return {{}, true};
    }
    Ways ways;
    for (const Asked& one : *asked) add_ways(e, operand, one, ways);
    if (ways.all.size() > kMost) return {{}, true};
    return ways;
}

// A store of the group, or of slices, has all of the tensor but along the loops, and moves with all of them.
std::set<LoopFloors::Asked> LoopFloors::asked_by(const TensorUse& use) {
    std::set<Asked> all;
    Walks& walks = members_.walks();
    for (const Way& way : ways_[place(use.einsum)].all) {
        const Operand& operand = members_.operands(use.einsum, way.driven)[place(use.operand)];
        if (operand.moves != Moves::with_all || !operand.whole) continue;
        Asked asked{operand.axes, way.made};
        for (std::size_t k = 0; k < 2; ++k)
            if (way.driven[k] >= 0)
                asked.steps[k] = walks.reached(way.made[k], use.einsum, use.operand, operand.axes[k], way.driven[k]);
        all.insert(asked);
    }
    return all;
}

// Nothing: two go back somewhere, which need not be so with what others ask for.
std::optional<std::set<LoopFloors::Asked>> LoopFloors::together(const std::set<Asked>& a, const std::set<Asked>& b) {
    std::set<Asked> all;
    Walks& walks = members_.walks();
    for (const Asked& one : a)
        for (const Asked& other : b) {
            if (one.axes != other.axes) continue;
            const std::optional<int> outer = walks.around(one.steps[0], other.steps[0]);
            const std::optional<int> inner = walks.around(one.steps[1], other.steps[1]);
            if (!outer || !inner) return std::nullopt;
            all.insert({one.axes, {*outer, *inner}});
        }
    return all;
}

// Whole tiles or slices of them, kept in any way.
void LoopFloors::add_ways(int e, int operand, const Asked& asked, Ways& ways) {
    Way way{.made = asked.steps};
    for (std::size_t k = 0; k < 2; ++k) {
        if (asked.axes[k] >= 0) way.driven[k] = space_.dimension_on(e, operand, asked.axes[k]);
        if (asked.axes[k] >= 0 && way.driven[k] < 0) return;
    }
    Need need{.axes = asked.axes, .steps = asked.steps};
    need.tensor = space_.cascade().einsums[place(e)].accesses[place(operand)].tensor;
    if (members_.may_be_sliced(need.tensor)) ways.all.insert(way);
    for (const Stay stay : {Stay::while_used, Stay::throughout}) {
        need.stay = stay;
        for (const Kept& kept : ways_to_keep(members_.walks(), need)) {
            way.made = kept.made;
            ways.all.insert(way);
        }
    }
}

// Without slices, which only add to what a box costs.
double LoopFloors::least(int e, const Ways& ways) {
    if (ways.any) return 0.0;
    double least = kNone;
    for (const Way& way : ways.all) {
        const Making making{.einsum = e, .driven = way.driven, .made = way.made};
        least = std::min(least, members_.floor_inside(making, paid_[place(e)]));
    }
    return least;
}

}  // namespace tilewright::certificate::fused_proof
