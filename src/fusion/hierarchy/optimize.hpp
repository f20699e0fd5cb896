// `map --fuse` on machines with memories inside the shared buffer: a fused mapping that the exact model costs, and what
// no mapping of the space is below.
//
//     std::string problem;
//     const std::vector<Constraints> demands = demands_of(cascade, machine.constraints(), problem);
//     const Answer answer = optimize_inside(cascade, architecture, demands, objective, stop);
//
// The space is that of optimize.hpp but for leaves: all even mappings of their boxes whose factors divide and that the
// machine allows. Two searches go through it. One has leaves at their floors, so that its best is a bound for all; what
// its plan asks for is mapped, which raises these floors, and it searches again. The other has leaves at what they are
// likely to cost and finds plans that are then mapped as they stand. Where both meet the answer is proven; else it is
// an interval. Before both, a short search of leaves and of groups of two gives a first plan.
#pragma once

#include <optional>
#include <vector>

#include "fusion/hierarchy/roles.hpp"
#include "fusion/optimize.hpp"

namespace tilewright::fusion {

/// Why such a machine, cascade or objective is not searched, in words; "" when it is.
std::string problem_inside(const Cascade& cascade, const Architecture& architecture, const Objective& objective);

/// Requires problem_inside() to be "". `unfused` of the answer: every einsum mapped by itself. Keeps the best where
/// `stop` is requested. `known`: a mapping to begin with, whose groups and stores are given the best leaves. `rounds`:
/// searches at floors, at most; after the eighth only while each raises the bound by a thousandth. Throws
/// OverflowError; std::logic_error where the exact model has a cost below the bound.
Answer optimize_inside(const Cascade& cascade, const Architecture& architecture,
                       const std::vector<Constraints>& demands, const Objective& objective,
                       const StopSource* stop = nullptr, int longest_group = 1 << 20, int rounds = 64,
                       const TellProgress& tell = {}, const std::optional<Mapped>& known = {});

}  // namespace tilewright::fusion
