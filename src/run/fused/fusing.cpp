#include "run/fused/fusing.hpp"

#include "fusion/hierarchy/optimize.hpp"
#include "fusion/machine/machine.hpp"
#include "run/fused/unconstrained.hpp"

namespace tilewright {

Fusing fusing_inside(const Cascade& cascade, const Architecture& architecture, const Objective& objective,
                     const ConstraintsOf& constraints) {
    Fusing fusing;
    fusing.inside = true;
    fusing.problem = fusion::problem_inside(cascade, architecture, objective);
    if (!fusing.problem.empty()) return fusing;
    fusing.demands = fusion::demands_of(cascade, architecture, constraints, fusing.problem);
    if (!fusing.problem.empty()) fusing.problem = "what the machine demands of mappings: " + fusing.problem;
    return fusing;
}

Fusing fusing_of(const Cascade& cascade, const Architecture& architecture, const Objective& objective,
                 const ConstraintsOf& constraints) {
    if (!fusion::problem_with_machine(architecture).empty() || (constraints && !is_unconstrained(cascade, constraints)))
        return fusing_inside(cascade, architecture, objective, constraints);
    Fusing fusing;
    fusing.problem = fusion::problem_with(cascade, architecture, objective);
    return fusing;
}

fusion::Answer fuse(const Cascade& cascade, const Architecture& architecture, const Fusing& fusing,
                    const Objective& objective, const StopSource* stop, const fusion::TellProgress& tell) {
    constexpr int kAnyLength = 1 << 20;
    constexpr int kRounds = 64;
    if (fusing.inside)
        return fusion::optimize_inside(cascade, architecture, fusing.demands, objective, stop, kAnyLength, kRounds,
                                       tell);
    return fusion::optimize(cascade, architecture, objective, stop, kAnyLength, tell);
}

}  // namespace tilewright
