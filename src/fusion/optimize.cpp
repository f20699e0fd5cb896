#include "fusion/optimize.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "fusion/products.hpp"
#include "fusion/search.hpp"
#include "fusion/tree.hpp"
#include "mapping/fused/text.hpp"
#include "model/fused/model.hpp"

namespace tilewright::fusion {
namespace {

// The exact model has the last word.
Mapped confirmed(const Cascade& cascade, const CascadeView& view, const Architecture& architecture, Leaves& leaves,
                 const FusionPlan& plan) {
    Mapped mapped{plan, mapping_of(view, machine_of(architecture), leaves, plan), {}};
    fused::Answer answer = fused::evaluate(cascade, architecture, mapped.mapping);
    if (!answer.evaluation)
        throw std::logic_error("the exact model refuses a fused mapping: " + answer.violations.front().message + "\n" +
                               to_text(mapped.mapping, cascade, architecture));
    const double energy = answer.evaluation->energy_pj;
    const auto cycles = static_cast<double>(answer.evaluation->cycles);
    if (std::abs(energy - plan.energy_pj) > 1e-9 * energy || std::abs(cycles - plan.cycles) > 1e-9 * cycles)
        throw std::logic_error("a fused mapping costs " + std::to_string(energy) + " pJ and " + std::to_string(cycles) +
                               " cycles, not " + std::to_string(plan.energy_pj) + " and " +
                               std::to_string(plan.cycles));
    mapped.evaluation = std::move(*answer.evaluation);
    return mapped;
}

Best best_of(Search& search, const Objective& objective, const Known& known) {
    switch (objective.kind) {
        case ObjectiveKind::energy: return search.best({1.0, 0.0}, known);
        case ObjectiveKind::latency: return search.best({0.0, 1.0}, known);
        default: return least_product(search, known);
    }
}

// What leaves of the best mapping are chosen by; several weights of a product need both.
Ranking ranking_of(const Objective& objective) {
    switch (objective.kind) {
        case ObjectiveKind::energy: return Ranking::energy_first;
        case ObjectiveKind::latency: return Ranking::cycles_first;
        default: return Ranking::both;
    }
}

double value_of(const Objective& objective, const FusionPlan& plan) {
    return objective.score(plan.energy_pj, plan.cycles).value;
}

}  // namespace

std::string problem_with_objective(const Objective& objective) {
    if (objective.kind != ObjectiveKind::energy && objective.kind != ObjectiveKind::latency &&
        objective.kind != ObjectiveKind::edp)
        return "fused mappings are searched for energy, latency and edp";
    return "";
}

std::string problem_with(const Cascade& cascade, const Architecture& architecture, const Objective& objective) {
    if (std::string problem = problem_with_objective(objective); !problem.empty()) return problem;
    if (std::string problem = problem_with_machine(architecture); !problem.empty()) return problem;
    return problem_with_cascade(cascade, architecture.memories[kBuffer].word_bits);
}

Answer optimize(const Cascade& cascade, const Architecture& architecture, const Objective& objective,
                const StopSource* stop, int longest_group, const TellProgress& tell) {
    const Machine machine = machine_of(architecture);
    const CascadeView view(cascade);
    ArrayLeaves leaves(cascade, machine, view.may_be_driven(), ranking_of(objective));
    Answer answer;
    const auto run = [&](int longest, const std::optional<FusionPlan>& plan) {
        const Known known = plan ? Known{*plan} : Known{};
        Search search(view, machine, leaves, {longest}, stop);
        Best best = best_of(search, objective, known);
        answer.statistics.proofs += best.proofs;
        answer.statistics.rounds += best.rounds;
        answer.stopped = answer.stopped || best.stopped;
        return best;
    };
    const Best unfused = run(1, std::nullopt);
    if (unfused.plan) answer.unfused = confirmed(cascade, view, architecture, leaves, *unfused.plan);
    if (tell) tell(answer.unfused ? &*answer.unfused : nullptr, 0.0);
    const Best fused = longest_group == 1 ? unfused : run(longest_group, unfused.plan);
    const FusionPlan* best = fused.plan ? &*fused.plan : nullptr;
    if (best != nullptr) answer.fused = confirmed(cascade, view, architecture, leaves, *best);
    answer.bound = fused.bound;
    answer.duals = fused.duals;  // a product has none
    answer.sums = fused.sums;
    constexpr double kRounding = 1e-9;
    answer.proven = best != nullptr && !fused.stopped && fused.bound >= value_of(objective, *best) * (1.0 - kRounding);
    answer.statistics.leaves = leaves.count();
    return answer;
}

}  // namespace tilewright::fusion
