#include "run/fused/fusing.hpp"

#include <memory>

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
    if (fusing.problem.empty()) fusing.demands = fusion::demands_of(cascade, architecture, {}, fusing.problem);
    return fusing;
}

fusion::Answer fuse(const Cascade& cascade, const Architecture& architecture, const Fusing& fusing,
                    const Objective& objective, const StopSource* stop, const fusion::TellProgress& tell) {
    constexpr int kAll = 1 << 20;  // einsums of a group
    if (fusing.inside) {
        constexpr int kRounds = 64;
        return fusion::optimize_inside(cascade, architecture, fusing.demands, objective, stop, kAll, kRounds, tell);
    }
    const auto listed =
        std::make_shared<const fusion::Answer>(fusion::optimize(cascade, architecture, objective, stop, kAll, tell));
    constexpr int kRounds = 8;
    fusion::Answer answer = fusion::optimize_inside(cascade, architecture, fusing.demands, objective, stop, kAll,
                                                    kRounds, tell, listed->fused);
    if (listed->proven) answer.listed = listed;
    return answer;
}

}  // namespace tilewright
