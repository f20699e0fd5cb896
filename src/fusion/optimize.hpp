// `map --fuse`: a fused mapping of a cascade that the exact model costs, and what no mapping of the space is below.
//
//     const fusion::Answer answer = fusion::optimize(cascade, architecture, demands, objective, stop);
//
// The space: groups of einsums that follow one another; up to two shared loops over dimensions of a group's last result
// in factors that divide; within each step segments, of which one may go through slices of a summed dimension; every
// tensor between einsums as a tile, lines or a slice; every weight and input read by its leaf or kept; as leaves all
// even mappings of their boxes whose factors divide and that the machine allows. A tensor stays inside a group that has
// all its readers; others go through the DRAM (docs/fusion.md).
//
// Two searches go through it. One has leaves at their floors, so that its best is a bound for all; what its plan asks
// for is mapped, which raises these floors, and it searches again. The other has leaves at what they are likely to cost
// and finds plans that are then mapped as they stand. Where both meet the answer is proven; else it is an interval.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "arch/architecture.hpp"
#include "base/stop.hpp"
#include "fusion/cost/cost.hpp"
#include "fusion/cost/lines.hpp"
#include "fusion/space/plan.hpp"
#include "mapping/fused/fused_mapping.hpp"
#include "mapspace/constraints.hpp"
#include "model/fused/evaluation.hpp"
#include "model/objective.hpp"
#include "workload/words.hpp"

namespace tilewright::fusion {

/// A mapping with what the exact model says of it.
struct Mapped {
    FusionPlan plan;
    FusedMapping mapping;
    fused::Evaluation evaluation;
};

struct Statistics {
    int proofs = 0;  ///< weighted searches
    int rounds = 0;  ///< with those whose guess was too low
    std::size_t leaves = 0;
};

/// Of the objective pareto.
struct FrontPoint {
    Mapped mapped;
    /// By both weights, and so by all between, no fused mapping costs less: energy 1 and so many pJ a cycle from the
    /// fewest to the most, 0 and 1 for cycles alone. Nothing: by none that is known.
    std::optional<std::pair<Weights, Weights>> proven = {};
};

struct Answer {
    std::optional<Mapped> fused;    ///< the best that was found; nothing: no mapping fits
    std::optional<Mapped> unfused;  ///< every einsum mapped by itself
    double bound = 0.0;             ///< no fused mapping has a lower value of the objective
    bool proven = false;            ///< the fused one has that value
    bool stopped = false;
    double floor_bound =
        0.0;  ///< the bound that follows from floors of leaves alone, as a certificate shows it; 0: none
    /// What shows it of energy and latency: by einsum, and 0 for the end, what it and all after it cost at least; no
    /// group costs less than its first einsum's number less that of the einsum after it.
    std::vector<double> duals = {};
    /// What shows it of energy times delay: sums of both under which nothing lies.
    std::vector<ProvenSum> sums = {};
    /// Of the objective pareto: all that was found and that nothing found beats in both, ascending energy. `fused` is
    /// the one of the least product, `bound` that of the products. `proven`: no gap is left.
    std::vector<FrontPoint> front = {};
    std::vector<Line> lines = {};  ///< under which no fused mapping lies
    double gap = 0.0;              ///< by no weights has a fused mapping less than the front by a larger share
    Statistics statistics;
};

/// Told when something better was found, or a higher bound: `best` may be null, `bound` 0.
using TellProgress = std::function<void(const Mapped* best, double bound)>;

/// Why nothing is searched for it, in words; "" when something is: energy, latency, their product, pareto.
std::string problem_with_objective(const Objective& objective);

/// Why such a machine, cascade or objective is not searched, in words; "" when it is.
std::string problem_with(const Cascade& cascade, const Architecture& architecture, const Objective& objective);

/// Requires problem_with() to be "". `demands`: by einsum, as demands_of() gives them. Keeps the best where `stop` is
/// requested. `longest_group`: einsums of a group. `rounds`: searches at floors, at most; after the eighth only while
/// each raises the bound by a thousandth. `partial`: bits of partial sums by tensor of the cascade, no fewer than those
/// of final ones. Throws OverflowError; std::logic_error where the exact model has a cost below the bound.
Answer optimize(const Cascade& cascade, const Architecture& architecture, const std::vector<Constraints>& demands,
                const Objective& objective, const StopSource* stop = nullptr, int longest_group = 1 << 20,
                int rounds = 64, const TellProgress& tell = {}, const PartialBits& partial = {});
/// Of a machine that demands nothing.
Answer optimize(const Cascade& cascade, const Architecture& architecture, const Objective& objective,
                const StopSource* stop = nullptr, int longest_group = 1 << 20, const PartialBits& partial = {});

}  // namespace tilewright::fusion
