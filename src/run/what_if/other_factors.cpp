#include "run/what_if/other_factors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/numbers/number_text.hpp"
#include "mapspace/padding.hpp"
#include "run/composition.hpp"
#include "run/search.hpp"

namespace tilewright {
namespace {

constexpr double kBusy = 0.6;  // utilization from which no other rule is tried

// A layer bound by the outermost memory gains nothing from units.
bool leaves_axis_idle(const LayerProblem& layer, const LayerAnswer& answer) {
    if (!answer.evaluation || !answer.search || !answer.search->proven) return false;
    return answer.evaluation->utilization < kBusy && answer.evaluation->bounding_memory != 0 &&
           paddings(layer.einsum, layer.architecture, layer.constraints).size() > 1;
}

bool is_quick(const LayerProblem& layer, const MapOptions& options) {
    return !hybrid_stands_in(layer, mapspace_of(layer, options), options);
}

// The answers under another rule, replacing those of the `shapes` it applies to.
NetworkAnswer under(const MapOptions& options, const std::vector<std::size_t>& shapes, const NetworkProblem& problem,
                    NetworkAnswer answer,
                    const std::function<NetworkAnswer(const NetworkProblem&, const MapOptions&)>& map) {
    NetworkProblem some{problem.name, {}};
    std::vector<std::size_t> taken;
    for (const std::size_t shape : shapes) {
        if (options.factors != FactorRule::padded && !is_quick(problem.shapes[shape].layer, options)) continue;
        some.shapes.push_back(problem.shapes[shape]);
        taken.push_back(shape);
    }
    if (some.shapes.empty()) return answer;
    NetworkAnswer found = map(some, options);
    for (std::size_t i = 0; i < taken.size(); ++i)
        if (found.layers[i].evaluation) answer.layers[taken[i]] = std::move(found.layers[i]);
    answer.interrupted = answer.interrupted || found.interrupted;
    return answer;
}

bool is_worth_saying(const NetworkTotals& other, const NetworkTotals& perfect) {
    return static_cast<double>(other.cycles) < kWorthSaying * static_cast<double>(perfect.cycles) ||
           other.energy_pj < kWorthSaying * perfect.energy_pj;
}

}  // namespace

std::optional<IdleAxes> idle_axes(const NetworkProblem& problem, const NetworkAnswer& answer, const MapOptions& options,
                                  const std::function<NetworkAnswer(const NetworkProblem&, const MapOptions&)>& map) {
    const std::optional<NetworkTotals> perfect = totals(problem, answer);
    const bool is_whole_search = !options.evaluations && !seconds_of_layer(options) && !options.uneven &&
                                 options.objective.kind != ObjectiveKind::pareto;
    const bool plain =
        std::ranges::all_of(problem.shapes, [](const ShapeProblem& one) { return one.layer.is_plain(); });
    if (!plain) return std::nullopt;
    if (!perfect || !is_whole_search || options.factors != FactorRule::perfect) return std::nullopt;
    IdleAxes idle{{}, *perfect, {}};
    std::vector<std::size_t> shapes;
    for (std::size_t i = 0; i < problem.shapes.size(); ++i) {
        if (!leaves_axis_idle(problem.shapes[i].layer, answer.layers[i])) continue;
        shapes.push_back(i);
        idle.layers.push_back(problem.shapes[i].names.front());
    }
    if (shapes.empty()) return std::nullopt;
    for (const FactorRule rule : {FactorRule::padded, FactorRule::ruby_s}) {
        MapOptions other = options;
        other.factors = rule;
        if (!refusal(capabilities_of(problem, other)).empty()) continue;
        const NetworkAnswer found = under(other, shapes, problem, answer, map);
        if (found.interrupted) return std::nullopt;
        const std::optional<NetworkTotals> sums = totals(problem, found);
        if (!sums || !is_worth_saying(*sums, *perfect)) break;
        idle.others.push_back({rule, *sums});
    }
    return idle.others.empty() ? std::nullopt : std::optional(std::move(idle));
}

std::string note_about(const IdleAxes& idle, std::size_t shapes) {
    const auto change = [](double other, double perfect) { return 100.0 * (other / perfect - 1.0); };
    std::string text =
        fmt::format("perfect factors leave units idle in {} of {} shapes ({}{}): there ", idle.layers.size(), shapes,
                    idle.layers.front(), idle.layers.size() > 1 ? ", ..." : "");
    for (const OtherFactors& other : idle.others) {
        if (&other != &idle.others.front()) text += ", ";
        text += fmt::format(
            "--factors {}{} {} cycles ({:+.1f} %) and {} ({:+.1f} %)", name_of(other.factors),
            &other == &idle.others.front() ? " brings the network to" : " to", count_text(other.totals.cycles),
            change(static_cast<double>(other.totals.cycles), static_cast<double>(idle.perfect.cycles)),
            energy_text(other.totals.energy_pj), change(other.totals.energy_pj, idle.perfect.energy_pj));
    }
    return text;
}

}  // namespace tilewright
