#include "run/fused/fusing.hpp"

#include "fusion/hierarchy/roles.hpp"
#include "fusion/machine/machine.hpp"
#include "run/fused/unconstrained.hpp"

namespace tilewright {

Fusing fusing_of(const Cascade& cascade, const Architecture& architecture, const Objective& objective,
                 const ConstraintsOf& constraints) {
    Fusing fusing;
    fusing.inside = !fusion::problem_with_machine(architecture).empty();
    fusing.problem = fusion::problem_with(cascade, architecture, objective);
    if (!fusing.problem.empty()) return fusing;
    fusing.inside = fusing.inside || (constraints && !is_unconstrained(cascade, constraints));
    fusing.demands = fusion::demands_of(cascade, architecture, constraints, fusing.problem);
    if (!fusing.problem.empty()) fusing.problem = "what the machine demands of mappings: " + fusing.problem;
    return fusing;
}

fusion::Answer fuse(const Cascade& cascade, const Architecture& architecture, const Fusing& fusing,
                    const Objective& objective, const StopSource* stop, const fusion::TellProgress& tell) {
    constexpr int kAll = 1 << 20;  // einsums of a group
    constexpr int kRounds = 64;
    return fusion::optimize(cascade, architecture, fusing.demands, objective, stop, kAll, kRounds, tell);
}

}  // namespace tilewright
