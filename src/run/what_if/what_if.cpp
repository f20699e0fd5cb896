#include "run/what_if/what_if.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <utility>

#include "arch/estimation/memories.hpp"
#include "base/numbers/checked.hpp"
#include "base/numbers/number_text.hpp"
#include "mapspace/constraints.hpp"
#include "mapspace/layer_problem.hpp"
#include "run/composition.hpp"
#include "run/search.hpp"

namespace tilewright {
namespace {

void twice(std::optional<double>& words_per_cycle) {
    if (words_per_cycle) *words_per_cycle *= 2.0;
}

void with_twice_the_bandwidth(Memory& memory) {
    twice(memory.read_words_per_cycle);
    twice(memory.write_words_per_cycle);
    twice(memory.shared_words_per_cycle);
}

bool is_throttling(const Memory& memory) {
    return memory.read_words_per_cycle || memory.write_words_per_cycle || memory.shared_words_per_cycle;
}

class ShapeSum {
   public:
    void add(const Evaluation& evaluation, std::int64_t repeats) {
        energy_pj_ += evaluation.energy_pj * static_cast<double>(repeats);
        cycles_ = checked_add(cycles_, checked_mul(evaluation.cycles, repeats));
    }
    report::WhatIf as(std::string change, bool mapped_again) const {
        return {std::move(change), mapped_again, energy_pj_, cycles_, ""};
    }

   private:
    double energy_pj_ = 0.0;
    std::int64_t cycles_ = 0;
};

class Changes {
   public:
    Changes(const NetworkProblem& problem, const NetworkAnswer& answer) : problem_(problem), answer_(answer) {}

    report::WhatIf none() const {
        ShapeSum sum;
        for (std::size_t i = 0; i < problem_.shapes.size(); ++i)
            if (const auto& evaluation = answer_.layers[i].evaluation) sum.add(*evaluation, problem_.shapes[i].repeats);
        return sum.as("the machine as it is", false);
    }

    report::WhatIf bandwidth(std::size_t memory) const {
        ShapeSum sum;
        for (std::size_t i = 0; i < problem_.shapes.size(); ++i) {
            const LayerAnswer& layer = answer_.layers[i];
            if (!layer.evaluation) continue;
            LayerProblem changed = with_einsum(problem_.shapes[i].layer, layer.einsum);
            with_twice_the_bandwidth(changed.architecture.memories[memory]);
            sum.add(costs_of(changed, layer.mapping.value()).evaluation.value(), problem_.shapes[i].repeats);
        }
        return sum.as("twice the bandwidth of " + machine().memories[memory].name, false);
    }

    report::WhatIf capacity(std::size_t memory, const std::function<NetworkAnswer(const NetworkProblem&)>& map) const {
        const NetworkProblem changed = with_twice_the_capacity(memory);
        const std::string change = "twice the capacity of " + machine().memories[memory].name;
        const NetworkAnswer again = map(changed);
        if (again.interrupted) return {change, true, {}, {}, "interrupted"};
        ShapeSum sum;
        for (std::size_t i = 0; i < changed.shapes.size(); ++i) {
            const auto& evaluation = again.layers[i].evaluation;
            if (!evaluation) return {change, true, {}, {}, "no mapping of " + changed.shapes[i].names.front()};
            sum.add(*evaluation, changed.shapes[i].repeats);
        }
        return sum.as(change, true);
    }

    const Architecture& machine() const { return problem_.shapes.front().layer.architecture; }

   private:
    // Of the layers that have a mapping on the machine as it is.
    NetworkProblem with_twice_the_capacity(std::size_t memory) const {
        NetworkProblem changed{problem_.name, {}};
        for (std::size_t i = 0; i < problem_.shapes.size(); ++i) {
            if (!answer_.layers[i].evaluation) continue;
            ShapeProblem& shape = changed.shapes.emplace_back(problem_.shapes[i]);
            std::int64_t& words = shape.layer.architecture.memories[memory].capacity_words.value();
            words = checked_mul(words, 2);
        }
        return changed;
    }

    const NetworkProblem& problem_;
    const NetworkAnswer& answer_;
};

}  // namespace

std::vector<report::WhatIf> what_if(const NetworkProblem& problem, const NetworkAnswer& answer,
                                    const std::function<NetworkAnswer(const NetworkProblem&)>& map) {
    const bool any = std::ranges::any_of(answer.layers, [](const LayerAnswer& one) { return one.mapping.has_value(); });
    if (!any) return {};
    const Changes changes(problem, answer);
    std::vector<report::WhatIf> answers{changes.none()};
    const std::vector<Memory>& memories = changes.machine().memories;
    const auto outermost = std::ranges::find(memories, false, &Memory::spreads_only);
    if (outermost != memories.end() && is_throttling(*outermost))
        answers.push_back(changes.bandwidth(static_cast<std::size_t>(outermost - memories.begin())));
    for (std::size_t m = 0; m < memories.size(); ++m)
        if (memories[m].capacity_words && !memories[m].spreads_only) answers.push_back(changes.capacity(m, map));
    return answers;
}

namespace {

struct Energies {
    double memory_pj = 0.0;
    double all_pj = 0.0;
};

Energies energies_of(const report::Report& report, std::size_t memory) {
    Energies sum;
    for (const report::LayerResult& layer : report.layers) {
        if (!layer.evaluation || memory >= layer.evaluation->memories.size()) continue;
        const auto repeats = static_cast<double>(layer.repeats);
        sum.memory_pj += repeats * layer.evaluation->memories[memory].energy_pj;
        sum.all_pj += repeats * layer.evaluation->energy_pj;
    }
    return sum;
}

}  // namespace

std::vector<std::string> energy_range_notes(const report::Report& report) {
    std::vector<std::string> notes;
    for (std::size_t m = 0; m < report.architecture.memories.size(); ++m) {
        const Memory& memory = report.architecture.memories[m];
        const std::optional<DramEstimate> range = range_behind(memory.energy.read_pj.source);
        const Energies energies = energies_of(report, m);
        if (!range || energies.all_pj <= 0.0) continue;
        const auto whole = [&](double pj_per_bit) {
            return energy_text(energies.all_pj + energies.memory_pj * (pj_per_bit / range->pj_per_bit - 1.0));
        };
        notes.push_back(
            fmt::format("{} of the energy rests on an assumption, {} pJ/bit of {} ({}): at {} it is {} in all, "
                        "at {} {}",
                        share_text(energies.memory_pj / energies.all_pj), range->pj_per_bit, memory.name, range->type,
                        *range->low, whole(*range->low), *range->high, whole(*range->high)));
    }
    return notes;
}

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
