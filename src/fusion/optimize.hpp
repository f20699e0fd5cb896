// The best fused mapping of a cascade whose leaves are listed nests, proven unless it is stopped. Other leaves may cost
// less: `map --fuse` begins with what is found here (run/fused/fusing.hpp).
//
//     const fusion::Answer answer = fusion::optimize(cascade, architecture, objective, stop);
//
// The space: groups of einsums that follow one another; up to two shared loops over dimensions of a group's last result
// in factors that divide; within each step segments, of which one may go through slices of a summed dimension; every
// tensor between einsums as a tile, lines or a slice; every weight and input read by its leaf or kept; leaves as
// leaf.hpp has them. A tensor stays inside a group that has all its readers; others go through the DRAM
// (docs/fusion.md).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "arch/architecture.hpp"
#include "base/stop.hpp"
#include "fusion/cost/proven_sum.hpp"
#include "fusion/space/plan.hpp"
#include "mapping/fused/fused_mapping.hpp"
#include "model/fused/evaluation.hpp"
#include "model/objective.hpp"

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

struct Answer {
    std::optional<Mapped> fused;    ///< the best that was found; nothing: no mapping fits
    std::optional<Mapped> unfused;  ///< the best that was found whose groups are single einsums
    double bound = 0.0;             ///< no fused mapping has a lower value of the objective
    bool proven = false;            ///< the fused one has that value
    bool stopped = false;
    /// Of energy and latency: by einsum, and 0 for the end, what it and all after it cost at least; no group costs less
    /// than its first einsum's number less that of the einsum after it.
    std::vector<double> duals = {};
    /// Of energy times delay: sums of both under which nothing lies. Together they show that no product is below
    /// `bound`.
    std::vector<ProvenSum> sums = {};
    Statistics statistics;
    /// The best of all whose leaves leaf.hpp lists, where it was looked for and proven: its duals and sums are of
    /// these.
    std::shared_ptr<const Answer> listed = {};
};

/// Told when something better was found, or a higher bound: `best` may be null, `bound` 0.
using TellProgress = std::function<void(const Mapped* best, double bound)>;

/// Why nothing is searched for it, in words; "" when something is: energy, latency and their product.
std::string problem_with_objective(const Objective& objective);

/// Why the search does not know such a machine, cascade or objective; "" when it does.
std::string problem_with(const Cascade& cascade, const Architecture& architecture, const Objective& objective);

/// Requires problem_with() to be "". `longest_group`: einsums of a group. Keeps the best where `stop` is requested.
/// Throws std::logic_error when the exact model does not confirm a cost to its rounding; OverflowError.
Answer optimize(const Cascade& cascade, const Architecture& architecture, const Objective& objective,
                const StopSource* stop = nullptr, int longest_group = 1 << 20, const TellProgress& tell = {});

}  // namespace tilewright::fusion
