#include "run/claim.hpp"

#include <fmt/format.h>

#include <algorithm>

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

}  // namespace

std::string claim_of(const SearchResult& found, const Constraints& constraints, const MapOptions& options) {
    const std::string space = space_words(options, constraints);
    if (is_proven(found)) {
        const std::string aside = found.remark.empty() ? "" : "; " + found.remark;
        return fmt::format("proven optimal: no {} that meets the constraints has {}{}", space,
                           objective_words(options.objective), aside);
    }
    if (!found.lower_bound || !(found.score.value > 0.0)) return found.remark;
    const std::string within =
        fmt::format("within {} of the optimum: no {} has less than {}",
                    share_text(1.0 - *found.lower_bound / found.score.value), space, figure_text(*found.lower_bound));
    return found.remark.empty() ? within : within + "; " + found.remark;
}

std::string refined_claim(const SearchSummary& search, const report::Refinement& refinement) {
    const auto simulated = std::ranges::count_if(
        refinement.candidates, [](const report::RefinedCandidate& one) { return one.simulated_cycles.has_value(); });
    const std::string claim =
        fmt::format("the best of {} mappings that were simulated; nothing is proven of it", count_text(simulated));
    return search.claim.empty() ? claim : claim + "; of the model's own choice: " + search.claim;
}

}  // namespace tilewright
