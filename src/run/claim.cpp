#include "run/claim.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/error.hpp"
#include "base/numbers/number_text.hpp"

namespace tilewright {
namespace {

// Of products the proof says nothing about ties: they are decided among what the search followed to its end.
std::string objective_words(const Objective& objective) {
    const char* const ties = objective.faster_of_equals ? " (of equal ones that were seen, this is the fastest)" : "";
    switch (objective.kind) {
        case ObjectiveKind::energy: return "less energy";
        case ObjectiveKind::latency: return "less latency (and of the fastest ones, none less energy)";
        case ObjectiveKind::edp: return std::string("a smaller energy-delay product") + ties;
        case ObjectiveKind::weighted: return std::string("a smaller value of the objective") + ties;
        case ObjectiveKind::pareto: return "both less energy and less latency than all of the front";
    }
    return "";
}

// Of which mappings something is claimed.
std::string space_words(const MapOptions& options, const Constraints& constraints) {
    const FactorRule rule = options.factors;
    const auto factors = [rule]() -> std::string {
        switch (rule) {
            case FactorRule::perfect: return "with perfect factors";
            case FactorRule::padded: return "with perfect factors, of the layer or of its padded forms,";
            case FactorRule::ruby: return "whose factors may leave remainders";
            case FactorRule::ruby_s: return "whose temporal factors divide (spatial ones may leave remainders)";
            case FactorRule::ruby_t: return "whose spatial factors divide (temporal ones may leave remainders)";
        }
        return "";
    };
    const char* const beyond =
        allow_remainders_beyond(rule, constraints) ? " (and remainders where a constraint allows them)" : "";
    return (options.uneven ? "even or uneven mapping " : "even mapping ") + factors() + beyond;
}

// `--expressible timeloop` keeps every level to one axis for each dimension.
std::string constraint_words(const Constraints& constraints) {
    const bool is_expressible =
        !constraints.levels.empty() &&
        std::ranges::all_of(constraints.levels, [](const LevelConstraint& level) { return level.spatial.one_axis; });
    return is_expressible ? "that meets the constraints and that Timeloop's directives can express"
                          : "that meets the constraints";
}

constexpr std::size_t kNamed = 4;  ///< layers that the note names; the report has all of them

bool is_unproven(const report::LayerResult& layer) {
    return layer.evaluation && layer.search && !layer.search->proven && !layer.refinement;
}

// "conv1 (at most 12.3 % from the best)"
std::string named(const report::LayerResult& layer, const Objective& objective) {
    const double value = objective.score(layer.evaluation->energy_pj, layer.evaluation->cycles).value;
    const std::optional<double>& bound = layer.search->lower_bound;
    if (!bound || !(value > 0.0) || objective.kind == ObjectiveKind::pareto)
        return layer.names.front() + " (no lower bound)";
    return fmt::format("{} (at most {} from the best)", layer.names.front(),
                       share_text(std::max(0.0, 1.0 - *bound / value)));
}

}  // namespace

std::string objective_unit(const Objective& objective) {
    switch (objective.kind) {
        case ObjectiveKind::energy: return "pJ";
        case ObjectiveKind::latency: return "cycles";
        case ObjectiveKind::edp:
        case ObjectiveKind::pareto: return "pJ*cycles";
        case ObjectiveKind::weighted:
            return fmt::format("pJ^{:g}*cycles^{:g}", objective.energy_weight, objective.latency_weight);
    }
    return "";
}

std::string claim_of(const SearchResult& found, const Constraints& constraints, const MapOptions& options) {
    const std::string space = space_words(options, constraints);
    if (is_proven(found)) {
        const std::string aside = found.remark.empty() ? "" : "; " + found.remark;
        return fmt::format("proven optimal: no {} {} has {}{}", space, constraint_words(constraints),
                           objective_words(options.objective), aside);
    }
    if (!found.lower_bound || !(found.score.value > 0.0)) return found.remark;
    const std::string within = fmt::format("within {} of the optimum: no {} has less than {} {}",
                                           share_text(1.0 - *found.lower_bound / found.score.value), space,
                                           figure_text(*found.lower_bound), objective_unit(options.objective));
    return found.remark.empty() ? within : within + "; " + found.remark;
}

SearchSummary summary_of(const SearchResult& found, const Constraints& constraints, const MapOptions& options) {
    SearchSummary summary;
    summary.evaluations = found.statistics.evaluations;
    summary.valid = found.statistics.valid;
    summary.sampled = found.statistics.sampled;
    summary.stopped_by = stop_reason_text(found.stopped);
    summary.space = found.space;
    summary.lower_bound = found.lower_bound;
    summary.proven = is_proven(found);
    summary.claim = claim_of(found, constraints, options);
    return summary;
}

std::string refined_claim(const SearchSummary& search, const report::Refinement& refinement) {
    const auto simulated = std::ranges::count_if(
        refinement.candidates, [](const report::RefinedCandidate& one) { return one.simulated_cycles.has_value(); });
    const std::string claim = fmt::format("the best of {} simulated mappings, without a proof", count_text(simulated));
    return search.claim.empty() ? claim : claim + "; the model's choice: " + search.claim;
}

std::string unproven_note(const report::Report& report, const MapOptions& options) {
    if (intended_mapper(options) != MapperKind::optimal) return "";
    std::vector<std::string> names;
    std::size_t count = 0;
    for (const report::LayerResult& layer : report.layers) {
        if (!is_unproven(layer)) continue;
        if (++count <= kNamed) names.push_back(named(layer, options.objective));
    }
    if (count == 0) return "";
    if (count > kNamed) names.push_back(fmt::format("{} more", count - kNamed));
    return fmt::format(
        "not proven, {} of {} layer shapes: {}; `constraints:` in the machine's file (dimensions across the array, "
        "tensors kept by a memory) leave fewer mappings and shorten the proof (docs/tutorial.md)",
        count, report.layers.size(), list_words(names));
}

}  // namespace tilewright
