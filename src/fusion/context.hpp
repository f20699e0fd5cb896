// What all parts of one search share: the cascade, the machine, memos, weights and the value above which nothing
// counts.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "base/stop.hpp"
#include "fusion/cost/cost.hpp"
#include "fusion/leaf/leaves.hpp"
#include "fusion/space/label.hpp"
#include "fusion/space/plan.hpp"
#include "fusion/space/steps.hpp"
#include "fusion/space/view.hpp"

namespace tilewright::fusion {

/// One thing that was decided on the way to a label; `previous` and `other` lead to what was decided before.
struct Decision {
    enum class Kind : std::uint8_t { member, keep, segment, join };
    Kind kind = Kind::join;
    std::int32_t previous = -1;
    std::int32_t other = -1;
    int subject = 0;        ///< einsum; tensor; first einsum of the segment
    int detail = 0;         ///< sliced dimension; Keeping; last einsum of the segment
    std::int64_t size = 0;  ///< words of the leaf; -; slices
    std::array<Way, kMaxTensors> ways{};
};

/// Words that an einsum moves from and to the DRAM.
struct Traffic {
    double in = 0.0;
    double out = 0.0;
};

struct Context {
    const CascadeView& view;
    const Machine& machine;
    Steps& steps;
    Leaves& leaves;
    const StopSource* stop = nullptr;
    Weights weights = {};
    int last = 0;             ///< einsum that ends the group at hand
    double bound = 0.0;       ///< only what costs no more is of interest, with all that is around the group
    double afterwards = 0.0;  ///< least value of what follows the group
    int first_allowed = 0;    ///< einsum with which the group begins at the earliest
    /// By einsum e from the first allowed to last + 1, and by einsum s up to e: least value of all that is before e
    /// where the group begins with one of s .. e.
    std::vector<std::vector<double>> before = {};
    /// By einsum: what it moves at least where it is a group by itself. Empty: there may be larger groups.
    std::vector<Traffic> alone = {};
    /// Value and tie of the best known group of `last` alone.
    std::pair<double, double> best_alone = {};
    std::vector<Decision> decisions = {};

    std::int32_t decide(Decision decision) {
        decisions.push_back(decision);
        return static_cast<std::int32_t>(decisions.size()) - 1;
    }
    /// True when a group in which einsums e .. last cost so much, and which begins with `earliest` .. e, cannot be part
    /// of what is of interest.
    bool hopeless(double value, int e, int earliest) const {
        const double others = before[e - first_allowed][std::max(earliest, first_allowed) - first_allowed];
        return value + others + afterwards > bound * (1.0 + 1e-12);
    }
    /// True when a group of `last` alone that costs no less is no better than the best one.
    bool hopeless_alone(const Floor& floor) const {
        const double value = floor.value;
        const double tie = weights.tie(floor.cost.energy_pj, floor.cost.cycles);
        constexpr double kRounding = 1e-12;
        return value > best_alone.first * (1.0 + kRounding) ||
               (value >= best_alone.first * (1.0 - kRounding) && tie >= best_alone.second * (1.0 - kRounding));
    }

    /// Words that a shared store gets from the DRAM, one thing at a time.
    Cost loading(std::int64_t words, std::int64_t repeats) const;
    /// Words that it sends there.
    Cost storing(std::int64_t words, std::int64_t repeats) const;
};

/// Of one einsum, whatever is fused: operations on what is needed of its results, the array's own words, words that
/// only it reads from outside.
struct LeastCost {
    Cost cost;
    Traffic alone;                   ///< all its operands, once, where it is a group by itself
    double points = 0.0;             ///< of what is needed of its results
    std::vector<double> words = {};  ///< by operand: reached by these points
};
/// By einsum.
std::vector<LeastCost> least_costs(const CascadeView& view, const Machine& machine, const Leaves& leaves);
/// What so many points cost the array at least.
Floor array_floor(std::span<const LeastPerPoint> corners, double points, const Weights& weights);
/// The same with what moves between DRAM and buffer.
Floor with_traffic(const Machine& machine, const Floor& array, const Traffic& moved, const Weights& weights);
/// The same where it moves so much.
Cost least_cost(const Machine& machine, const LeastPerPoint& array, double points, const Traffic& moved);

}  // namespace tilewright::fusion
