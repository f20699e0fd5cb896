#include "verbs/compare/compare_runs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>

#include "base/numbers/number_text.hpp"
#include "report/parts/table.hpp"

namespace tilewright::cli {
namespace {

using report::Term;
using views::SimulatedLayer;
using views::Simulation;

/// Less of a term is not worth a line.
constexpr double kLeastCycles = 0.5;

std::string cycles_text(double cycles) { return count_text(static_cast<std::int64_t>(std::llround(cycles))); }

bool share_a_name(const std::vector<std::string>& some, const std::vector<std::string>& others) {
    return std::ranges::any_of(some, [&](const auto& name) { return std::ranges::find(others, name) != others.end(); });
}

const SimulatedLayer* layer_like(const Simulation& simulation, const std::vector<std::string>& names) {
    for (const SimulatedLayer& layer : simulation.layers)
        if (share_a_name(layer.names, names)) return &layer;
    return nullptr;
}

std::optional<double> cycles_of(const views::Run& run, const std::vector<std::string>& names) {
    for (const views::Layer& layer : run.layers)
        if (layer.costs &&
            (std::ranges::find(names, layer.name) != names.end() || share_a_name(layer.same_shape, names)))
            return layer.costs->cycles;
    return std::nullopt;
}

/// "draining, 49.3 %": by how much of the simulated cycles it is above the model.
std::string underestimated_text(const SimulatedLayer& layer) {
    for (const Term& term : layer.terms)
        if (term.name == layer.underestimated)
            return fmt::format("{}, {:.1f} %", term.name, 100.0 * term.beyond() / std::max(1.0, layer.cycles));
    return layer.underestimated;
}

/// What a simulation is called beside others: the folder of its document, or the file.
std::string short_name(const Simulation& simulation) {
    const std::filesystem::path file(simulation.file);
    const std::string folder = file.parent_path().filename().string();
    return file.filename() == "simulation.json" && !folder.empty() ? folder : file.stem().string();
}

class SimulationsText {
   public:
    SimulationsText(const std::vector<views::Run>& runs, const std::vector<Simulation>& simulations)
        : runs_(runs), simulations_(simulations) {}

    std::string text() const {
        std::string text = titles() + layers();
        for (const Simulation& simulation : simulations_) text += terms(simulation);
        return text + notes();
    }

   private:
    bool alone() const { return simulations_.size() == 1; }
    std::string name_of(const Simulation& simulation) const { return alone() ? "simulated" : short_name(simulation); }

    std::string titles() const {
        std::string text;
        for (const Simulation& simulation : simulations_)
            text += (alone() ? "" : name_of(simulation) + ": ") + simulation.title + ", cycle by cycle\n";
        return text + "\n";
    }

    /// The layers of all simulations, those of the first one first.
    std::vector<const SimulatedLayer*> shapes() const {
        std::vector<const SimulatedLayer*> all;
        for (const Simulation& simulation : simulations_)
            for (const SimulatedLayer& layer : simulation.layers)
                if (std::ranges::none_of(all, [&](const auto* one) { return share_a_name(one->names, layer.names); }))
                    all.push_back(&layer);
        return all;
    }

    /// Of a shape: the cycles of the runs or of the model, then those of the simulations.
    std::vector<std::optional<double>> cycles_of_all(const SimulatedLayer& shape) const {
        std::vector<std::optional<double>> cycles;
        for (const views::Run& run : runs_) cycles.push_back(cycles_of(run, shape.names));
        if (runs_.empty()) cycles.emplace_back(shape.model_cycles);
        for (const Simulation& simulation : simulations_) {
            const SimulatedLayer* const layer = layer_like(simulation, shape.names);
            cycles.push_back(layer == nullptr ? std::nullopt : std::optional(layer->cycles));
        }
        return cycles;
    }

    report::Table layer_table() const {
        std::vector<std::string> names{"layer", "repeats"};
        for (const views::Run& run : runs_) names.push_back(runs_.size() == 1 ? "model" : run.title);
        if (runs_.empty()) names.emplace_back("model");
        std::string alignment = "lr" + std::string(names.size() - 2, 'r');
        for (const Simulation& simulation : simulations_) {
            names.insert(names.end(), {name_of(simulation), "ratio", "underestimated"});
            alignment += "rrl";
        }
        return {names, alignment};
    }

    /// `terms`: of each simulation, what is said of the term.
    std::vector<std::string> row(const std::string& name, double repeats,
                                 const std::vector<std::optional<double>>& cycles,
                                 const std::vector<std::string>& terms) const {
        std::vector<std::string> row{name, cycles_text(repeats)};
        const std::size_t first_simulated = cycles.size() - simulations_.size();
        for (std::size_t i = 0; i < cycles.size(); ++i) {
            row.push_back(cycles[i] ? cycles_text(*cycles[i]) : "-");
            if (i < first_simulated) continue;
            const bool has_ratio = cycles[i] && cycles.front() && *cycles.front() > 0.0;
            row.push_back(has_ratio ? fmt::format("{:.2f}", *cycles[i] / *cycles.front()) : "-");
            row.push_back(terms[i - first_simulated]);
        }
        return row;
    }

    std::string layers() const {
        report::Table table = layer_table();
        std::vector<std::optional<double>> sums(simulations_.size() + std::max<std::size_t>(1, runs_.size()), 0.0);
        double all_repeats = 0.0;
        const std::vector<const SimulatedLayer*> all = shapes();
        for (const SimulatedLayer* shape : all) {
            const std::vector<std::optional<double>> cycles = cycles_of_all(*shape);
            bool cut = false;
            std::vector<std::string> terms;
            for (const Simulation& simulation : simulations_) {
                const SimulatedLayer* const layer = layer_like(simulation, shape->names);
                terms.push_back(layer == nullptr ? "" : underestimated_text(*layer));
                cut = cut || (layer != nullptr && layer->interrupted);
            }
            table.add(row(shape->names.front() + (cut ? " (cut short)" : ""), shape->repeats, cycles, terms));
            all_repeats += shape->repeats;
            for (std::size_t i = 0; i < cycles.size(); ++i)
                sums[i] = sums[i] && cycles[i] ? std::optional(*sums[i] + shape->repeats * *cycles[i]) : std::nullopt;
        }
        if (all.size() < 2) return table.text();
        table.rule();
        table.add(row("all, with repeats", all_repeats, sums, std::vector<std::string>(simulations_.size())));
        return table.text();
    }

    /// By name, in the order of their appearance, summed over the layers.
    static std::vector<Term> summed(const Simulation& simulation) {
        std::vector<Term> sums;
        for (const SimulatedLayer& layer : simulation.layers) {
            for (const Term& term : layer.terms) {
                auto found = std::ranges::find(sums, term.name, &Term::name);
                if (found == sums.end()) found = sums.insert(sums.end(), {term.name, 0.0, 0.0});
                found->model_cycles += layer.repeats * term.model_cycles;
                found->simulated_cycles += layer.repeats * term.simulated_cycles;
            }
        }
        return sums;
    }

    std::string terms(const Simulation& simulation) const {
        report::Table table({alone() ? "what the cycles go to" : name_of(simulation), "model", "simulated", "beyond"},
                            "lrrr");
        Term sum{"all layers, with repeats"};
        for (const Term& term : summed(simulation)) {
            sum.model_cycles += term.model_cycles;
            sum.simulated_cycles += term.simulated_cycles;
            if (std::max(term.model_cycles, term.simulated_cycles) < kLeastCycles) continue;
            add(table, term);
        }
        if (table.empty()) return "";
        table.rule();
        add(table, sum);
        return "\n" + table.text();
    }

    static void add(report::Table& table, const Term& term) {
        const double beyond = std::round(term.simulated_cycles) - std::round(term.model_cycles);
        table.add({term.name, cycles_text(term.model_cycles), cycles_text(term.simulated_cycles),
                   (beyond > 0.0 ? "+" : "") + cycles_text(beyond)});
    }

    /// Another mapping, or another accounting.
    std::string notes() const {
        std::string names;
        std::size_t layers = 0;
        for (const SimulatedLayer* shape : shapes())
            for (const views::Run& run : runs_) {
                const std::optional<double> cycles = cycles_of(run, shape->names);
                if (!cycles || *cycles == shape->model_cycles) continue;
                if (++layers == 1) names = shape->names.front();
            }
        if (layers == 0) return "";
        return fmt::format(
            "\nnote: of {}{} the report has other cycles than the model has for the mapping that was simulated: it is "
            "about another mapping, or another accounting\n",
            names, layers > 1 ? fmt::format(" (and {} more)", layers - 1) : "");
    }

    const std::vector<views::Run>& runs_;
    const std::vector<Simulation>& simulations_;
};

}  // namespace

std::string simulations_text(const std::vector<views::Run>& runs, const std::vector<Simulation>& simulations) {
    return SimulationsText(runs, simulations).text();
}

}  // namespace tilewright::cli
