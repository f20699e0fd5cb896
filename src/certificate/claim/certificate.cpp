#include "certificate/claim/certificate.hpp"

#include <algorithm>
#include <stdexcept>

#include "certificate/common/charges.hpp"
#include "certificate/common/zeros.hpp"
#include "certificate/prove/prove.hpp"

namespace tilewright::certificate {

std::string Space::in_words(const Constraints& constraints) const {
    const std::optional<FactorRule> rule = factor_rule_named(factors);
    const bool beyond = rule && allow_remainders_beyond(*rule, constraints);
    return "all " + (storage == "uneven" ? "even and uneven" : storage) + " mappings with " + factors + " factors" +
           (beyond ? " (and remainders where the constraints allow them)" : "") + " that meet the constraints";
}

bool Space::is_known() const {
    if (factors == name_of(FactorRule::ruby_s)) return storage == "even";
    return (storage == "even" || storage == "uneven") && factors == name_of(FactorRule::perfect);
}

bool can_be_proven(const Mapspace& mapspace, const Space& space) {
    if (!space.is_known() || mapspace.has_temporal_remainders()) return false;
    return space.stored() == Storage::even || !mapspace.has_remainders();
}

Goal goal_of(const Claim& claim) {
    const std::optional<Objective> objective = parse_objective(claim.objective);
    if (!objective || claim.answers.empty()) throw std::invalid_argument("a claim without objective or answer");
    Goal goal;
    goal.objective = *objective;
    goal.value = std::min(claim.score, claim.bound);
    if (objective->kind == ObjectiveKind::latency && claim.bound >= claim.score)
        goal.tie_pj = claim.answers.front().cost.energy_pj;
    for (const Answer& answer : claim.answers) goal.front.push_back(answer.cost);
    return goal;
}

bool has_too_many_assignments(const Claim& claim, const Architecture& machine) {
    const Mapspace mapspace(claim.einsum, machine, claim.constraints, claim.space.rule());
    return is_too_long_to_prove(claim.einsum, machine, mapspace);
}

std::string problem_with_zeros(const Claim& claim, const Architecture& machine) {
    const Mapspace mapspace(claim.einsum, machine, claim.constraints, claim.space.rule());
    if (claim.space.stored() != Storage::even || mapspace.has_remainders())
        return "only even mappings with perfect factors are known here";
    if (parse_objective(claim.objective).value_or(Objective{}).kind == ObjectiveKind::pareto)
        return "Pareto fronts are not known here";
    const Ground ground(claim.einsum, machine);
    if (ground.wires_cost || ground.leaves_out_wires) return "wires cost energy";
    return tile_dependence(claim.einsum, machine, mapspace, required(claim.zeros));
}

Outline outline_of(const Claim& claim, const Architecture& machine) {
    const Mapspace mapspace(claim.einsum, machine, claim.constraints, claim.space.rule());
    return outline(claim.einsum, machine, mapspace, goal_of(claim), claim.zeros ? &*claim.zeros : nullptr);
}

}  // namespace tilewright::certificate
