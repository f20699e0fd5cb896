// Rewriting of constraints by Timeloop's front end (version 0.4) before its mapper: maximize_dims becomes factors,
// dimensions with factor 1 move to the inside of permutations, and every tensor of a !Parallel group gets one branch.
#pragma once

#include <vector>

#include "timeloop/machine/machine.hpp"
#include "timeloop/mapping/directive.hpp"

namespace tilewright::timeloop {

/// read_constraints() for an einsum with the file's names.
Constraints constraints_by_name(const yaml::Node& root, const Architecture& architecture, const ConstraintNames& names);

/// The constraints of all memories, outermost first, as written.
struct Directives {
    std::vector<LoopDirective> temporal;
    std::vector<LoopDirective> spatial;
    std::vector<TensorSet> keep;
    std::vector<TensorSet> bypass;
    double min_parallelism = 0.0;
};

/// Replaces maximize_dims by the factors of best use of the fan-out (or the given capacity): innermost level first,
/// spatial before temporal.
void maximize_dimensions(Directives& directives, const Architecture& architecture, const Einsum& einsum);

/// Dimensions that leave a tensor alone get factor 1 on fan-outs that do not share it, where something outside would
/// count it once (machine/passing.hpp). unsupported if `maximize_dims` asks for them.
void bind_unshared(const MachineFile& machine, Directives& directives, const Architecture& architecture,
                   const Einsum& einsum);

/// Dimensions with a factor -1 somewhere get factor 1 at every loop that says nothing of them.
void place_rest(Directives& directives, const Architecture& architecture, const Einsum& einsum);

/// Puts dimensions of factor or extent 1 in front of every permutation. Loops of spread-only levels have factor 1. They
/// count in `split`, as in Timeloop, unless forced factors would then fit along neither axis while they fit in the
/// file's order; a remark reports this.
void place_unit_dimensions(Directives& directives, const Architecture& architecture, const ConstraintNames& names);

/// Tensors kept in one branch of a group bypass the others; every tensor needs a branch or a !Nothing. If branches name
/// absent tensors as void, tensors without a branch take their places, one each in the problem's order, and the rest
/// bypass.
void separate_branches(const MachineFile& machine, Directives& directives, const Architecture& architecture,
                       const ConstraintNames& names);

}  // namespace tilewright::timeloop
