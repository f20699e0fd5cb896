// What Timeloop's front end (version 0.4) makes of constraints before its mapper sees them: maximize_dims becomes
// factors, dimensions with factor 1 move to the inside of permutations, and every tensor of a !Parallel group gets its
// one branch.
#pragma once

#include <vector>

#include "timeloop/machine/machine.hpp"
#include "timeloop/mapping/directive.hpp"

namespace tilewright::timeloop {

/// read_constraints() of an einsum that has the names of the file.
Constraints constraints_by_name(const yaml::Node& root, const Architecture& architecture, const ConstraintNames& names);

/// The constraints of all memories, outermost first, as written.
struct Directives {
    std::vector<LoopDirective> temporal;
    std::vector<LoopDirective> spatial;
    std::vector<TensorSet> keep;
    std::vector<TensorSet> bypass;
    double min_parallelism = 0.0;
};

/// Replaces maximize_dims by the factors that use the fan-out (or the given capacity) best: innermost level first,
/// spatial before temporal.
void maximize_dimensions(Directives& directives, const Architecture& architecture, const Einsum& einsum);

/// Puts dimensions of factor or extent 1 in front of every permutation. The loops of levels that only spread have
/// factor 1. They count in `split`, as in Timeloop, unless what has to be spread would then fit along neither axis
/// while it fits as the file lists it: a remark says so.
void place_unit_dimensions(Directives& directives, const Architecture& architecture, const ConstraintNames& names);

/// Tensors kept in one branch of a group bypass the others; every tensor needs a branch or a !Nothing. Where branches
/// name tensors that the problem lacks, and those names are void, the tensors that no branch names take their places,
/// one each in the order of the problem, and the rest pass by.
void separate_branches(const MachineFile& machine, Directives& directives, const Architecture& architecture,
                       const ConstraintNames& names);

}  // namespace tilewright::timeloop
