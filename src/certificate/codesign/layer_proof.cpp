#include "certificate/codesign/layer_proof.hpp"

#include <algorithm>
#include <cstdio>
#include <limits>

#include "certificate/claim/certificate.hpp"
#include "certificate/prove/prove.hpp"

namespace tilewright::certificate {
namespace {

// Doubt that nothing falls short of the goal.
std::string doubt_of_goal(const PlacedLayer& layer, const std::string& factors, const Goal& goal,
                          const std::function<bool()>& stop) {
    const std::optional<FactorRule> rule = factor_rule_named(factors);
    const Space space{"even", factors};
    if (!rule || !space.is_known()) return "nothing is known here of " + factors + " factors";
    const Mapspace mapspace(layer.einsum, layer.machine, layer.constraints, *rule);
    if (!mapspace.problem().empty()) return "";
    if (!can_be_proven(mapspace, space)) return "the constraints allow remainders that are not known here";
    if (is_too_long_to_prove(layer.einsum, layer.machine, mapspace))
        return "there are too many assignments to go through";
    const Proof proof = prove(layer.einsum, layer.machine, mapspace, goal, Storage::even, stop);
    if (stop && stop()) return "the check was interrupted";
    if (proof.doubts.empty()) return "";
    const Doubt& doubt = proof.doubts.front();
    return "mappings of " + doubt.what + " may take as little as " + in_digits(doubt.bound.energy_pj) + " pJ and " +
           in_digits(doubt.bound.cycles) + " cycles" +
           (proof.too_many ? "; it has more nests than can be told apart here" : "");
}

Goal goal_of(const Objective& objective, double value) { return {objective, value, {}, {}}; }

// All at once: one pass over assignments and their tiles.
bool are_proven_together(const PlacedLayer& layer, const std::string& factors, const ProvenFloor& floor,
                         const std::function<bool()>& stop) {
    Goal goal = goal_of({.kind = ObjectiveKind::edp}, floor.objective);
    goal.least = {floor.energy_pj, floor.cycles};
    return doubt_of_goal(layer, factors, goal, stop).empty();
}

}  // namespace

std::string in_digits(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.10g", value);
    return text;
}

std::string doubt_of_score(const PlacedLayer& layer, const std::string& factors, const std::string& objective,
                           double score, const std::function<bool()>& stop) {
    const std::optional<Objective> known = parse_objective(objective);
    if (!known) return "the objective '" + objective + "' is unknown";
    // Cycles are whole: a billionth less is a cycle less.
    const double value = known->kind == ObjectiveKind::latency ? score * (1.0 - kTolerance) : score;
    const std::string doubt = doubt_of_goal(layer, factors, goal_of(*known, value), stop);
    return doubt.empty() ? "" : "that no mapping has less " + objective + " than " + in_digits(score) + ": " + doubt;
}

std::string doubt_of_floor(const PlacedLayer& layer, const std::string& factors, const std::string& objective,
                           const ProvenFloor& floor, const std::function<bool()>& stop) {
    const double energy = objective == "energy" ? std::max(floor.energy_pj, floor.objective) : floor.energy_pj;
    const double cycles = objective == "latency" ? std::max(floor.cycles, floor.objective) : floor.cycles;
    const double edp = objective == "edp" ? floor.objective : 0.0;
    if (energy > 0.0 && cycles > 1.0 && are_proven_together(layer, factors, {energy, cycles, edp}, stop)) return "";
    // One by one, to name the one in doubt.
    std::string doubt;
    if (energy > 0.0) doubt = doubt_of_score(layer, factors, "energy", energy, stop);
    if (doubt.empty() && cycles > 1.0) doubt = doubt_of_score(layer, factors, "latency", cycles, stop);
    if (doubt.empty() && edp > energy * cycles) doubt = doubt_of_score(layer, factors, "edp", edp, stop);
    return doubt;
}

std::string doubt_of_emptiness(const PlacedLayer& layer, const std::string& factors,
                               const std::function<bool()>& stop) {
    const Goal nothing = goal_of({.kind = ObjectiveKind::energy}, std::numeric_limits<double>::max());
    const std::string doubt = doubt_of_goal(layer, factors, nothing, stop);
    return doubt.empty() ? "" : "that there is no mapping: " + doubt;
}

}  // namespace tilewright::certificate
