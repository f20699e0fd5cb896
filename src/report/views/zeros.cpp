#include "report/views/zeros.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/numbers/number_text.hpp"

namespace tilewright::views {
namespace {

using sparse::Saved;

/// Energies of a table have one unit, for sorting and comparison.
struct EnergyUnit {
    double pj;
    const char* name;

    explicit EnergyUnit(double largest_pj) : pj(1.0), name("pJ") {
        for (const auto& [size, text] :
             {std::pair{1e12, "J"}, std::pair{1e9, "mJ"}, std::pair{1e6, "uJ"}, std::pair{1e3, "nJ"}})
            if (largest_pj >= size) {
                pj = size;
                name = text;
                return;
            }
    }
    std::string text(double energy_pj) const { return fmt::format("{:.4g}", energy_pj / pj); }
};

std::string percent_of(double part, double whole) {
    return whole > 0.0 ? fmt::format("{:.1f}", 100.0 * part / whole) : "0";
}

std::string densities_text(const document::SparseCosts& costs) {
    std::string text;
    for (const document::SparseDensity& one : costs.densities)
        if (one.of.share < 1.0)
            text += fmt::format("{}{} {:.3g}{}", text.empty() ? "" : ", ", one.tensor, one.of.share,
                                one.of.model == "fixed_structured" ? "" : " (" + one.of.model + ")");
    return text;
}

std::vector<std::string> saved_cells(const Saved& saved, const EnergyUnit& unit) {
    return {unit.text(saved.dense_pj),
            unit.text(saved.left_out_pj),
            unit.text(saved.gating_pj),
            unit.text(saved.skipping_pj),
            unit.text(saved.metadata_pj),
            unit.text(saved.spent_pj()),
            percent_of(saved.dense_pj - saved.spent_pj(), saved.dense_pj)};
}

void append(const std::vector<std::string>& cells, std::vector<std::string>& row) {
    row.insert(row.end(), cells.begin(), cells.end());
}

bool costs_nothing(const Saved& saved) { return saved.dense_pj == 0.0 && saved.metadata_pj == 0.0; }

std::vector<std::string> saved_names() {
    return {"nothing done", "left out", "gated", "skipped", "metadata", "spent", "% saved"};
}

TitledTable table_of_memories(const SavedByZeros& all) {
    std::vector<std::string> names{"memory"};
    append(saved_names(), names);
    report::Table table(names, "lrrrrrrr");
    const EnergyUnit unit(all.total().dense_pj);
    for (const auto& [name, saved] : all.components) {
        if (costs_nothing(saved)) continue;
        std::vector<std::string> row{name};
        append(saved_cells(saved, unit), row);
        table.add(row);
    }
    return {fmt::format("By memory: accesses and computes of all layers, each as often as it runs ({})", unit.name),
            table};
}

TitledTable table_of_layers(const std::vector<LayerZeros>& layers) {
    double largest = 0.0;
    for (const LayerZeros& layer : layers) largest = std::max(largest, layer.saved.dense_energy_pj);
    const EnergyUnit unit(largest);
    report::Table table({"layer", "density", "nothing done", "left out", "gated", "skipped", "metadata", "elsewhere",
                         "spent", "% saved", "% cycles"},
                        "llrrrrrrrrr");
    for (const auto& [name, densities, zeros] : layers) {
        const Saved sum = zeros.total();
        table.add({name, densities, unit.text(zeros.dense_energy_pj), unit.text(sum.left_out_pj),
                   unit.text(sum.gating_pj), unit.text(sum.skipping_pj), unit.text(sum.metadata_pj),
                   unit.text(zeros.elsewhere_pj), unit.text(zeros.energy_pj),
                   percent_of(zeros.dense_energy_pj - zeros.energy_pj, zeros.dense_energy_pj),
                   percent_of(zeros.dense_cycles - zeros.cycles, zeros.dense_cycles)});
    }
    return {fmt::format("By layer, each as often as it runs ({})", unit.name), table};
}

TitledTable table_of_both(const std::vector<LayerZeros>& layers) {
    std::vector<std::string> names{"layer", "memory"};
    append(saved_names(), names);
    report::Table table(names, "llrrrrrrr");
    double largest = 0.0;
    for (const LayerZeros& layer : layers) largest = std::max(largest, layer.saved.total().dense_pj);
    const EnergyUnit unit(largest);
    for (const LayerZeros& layer : layers)
        for (const auto& [name, saved] : layer.saved.components) {
            if (costs_nothing(saved)) continue;
            std::vector<std::string> row{layer.layer, name};
            append(saved_cells(saved, unit), row);
            table.add(row);
        }
    return {fmt::format("By layer and memory, each layer as often as it runs ({})", unit.name), table};
}

void add_energy_card(const char* name, double pj, const char* about, std::vector<Card>& cards) {
    if (pj > 0.0) cards.push_back({name, energy_text(pj), about});
}

std::vector<Card> zeros_cards(const SavedByZeros& all) {
    std::vector<Card> cards{
        {"energy saved", percent_of(all.dense_energy_pj - all.energy_pj, all.dense_energy_pj) + " %",
         energy_text(all.energy_pj) + " in place of " + energy_text(all.dense_energy_pj)},
        {"cycles saved", percent_of(all.dense_cycles - all.cycles, all.dense_cycles) + " %",
         count_text(all.cycles) + " in place of " + count_text(all.dense_cycles)}};
    const Saved sum = all.total();
    add_energy_card("left out", sum.left_out_pj, "never came up: not stored, or avoided further out", cards);
    add_energy_card("gated", sum.gating_pj, "the time passes, the energy is saved", cards);
    add_energy_card("skipped", sum.skipping_pj, "neither is spent", cards);
    add_energy_card("metadata", sum.metadata_pj, "spent on what formats add", cards);
    return cards;
}

// Parts of a bar add up to the dense energy and metadata.
Figure zeros_figure(const std::string& title, const std::vector<std::pair<std::string, Saved>>& bars,
                    const std::string& run) {
    constexpr double kJoules = 1e-12;
    plot::StackedBars chart{title, {}, {"energy", "J"}, {}};
    plot::Part spent{"spent", {}, "#0072b2"};
    plot::Part metadata{"spent on metadata", {}, "#d55e00"};
    plot::Part skipped{"saved by skipping", {}, "#009e73"};
    plot::Part gated{"saved by gating", {}, "#e69f00"};
    plot::Part left_out{"left out", {}, "#9aa5b1"};
    const auto joules = [&](double pj) { return std::max(0.0, pj) * kJoules; };
    for (const auto& [name, saved] : bars) {
        if (costs_nothing(saved)) continue;
        chart.bars.push_back(name);
        spent.values.push_back(joules(saved.spent_pj() - saved.metadata_pj));
        metadata.values.push_back(joules(saved.metadata_pj));
        skipped.values.push_back(joules(saved.skipping_pj));
        gated.values.push_back(joules(saved.gating_pj));
        left_out.values.push_back(joules(saved.left_out_pj));
    }
    chart.parts = {spent, metadata, skipped, gated, left_out};
    return {"zeros",
            "Accesses and computes of all layers, each as often as it runs. Without metadata a bar is as high as what "
            "they would take were nothing done about zeros.",
            chart, run};
}

}  // namespace

Saved SavedByZeros::total() const {
    Saved sum;
    for (const auto& [name, saved] : components) sum += saved;
    return sum;
}

SavedByZeros& SavedByZeros::operator+=(const SavedByZeros& more) {
    dense_energy_pj += more.dense_energy_pj;
    energy_pj += more.energy_pj;
    dense_cycles += more.dense_cycles;
    cycles += more.cycles;
    elsewhere_pj += more.elsewhere_pj;
    components.resize(std::max(components.size(), more.components.size()));
    for (std::size_t c = 0; c < more.components.size(); ++c) {
        components[c].first = more.components[c].first;
        components[c].second += more.components[c].second;
    }
    return *this;
}

void add_zeros_of(const document::Layer& layer, std::vector<LayerZeros>& layers) {
    if (!layer.sparse || !layer.sparse->savings || !layer.evaluation) return;
    const document::SparseSavings& savings = *layer.sparse->savings;
    const auto times = static_cast<double>(layer.repeats);
    const auto number = [&](std::int64_t value) { return times * static_cast<double>(value); };
    SavedByZeros saved{times * savings.dense_energy_pj, times * layer.evaluation->of.energy_pj,
                       number(savings.dense_cycles),    number(layer.evaluation->of.cycles),
                       times * savings.elsewhere_pj,    {}};
    for (const auto& [name, one] : savings.components) saved.components.emplace_back(name, times * one);
    layers.push_back({layer.name, densities_text(*layer.sparse), std::move(saved)});
}

void add_zeros(const std::vector<LayerZeros>& layers, const std::string& run, Document& document) {
    if (layers.empty()) return;
    SavedByZeros all;
    std::vector<std::pair<std::string, Saved>> by_layer;
    for (const LayerZeros& layer : layers) {
        all += layer.saved;
        by_layer.emplace_back(layer.layer, layer.saved.total());
    }
    Headline headline{"Saved by the treatment of zeros: " + run,
                      zeros_cards(all),
                      {table_of_memories(all), table_of_layers(layers), table_of_both(layers)}};
    headline.notes = {
        "against the same mappings were nothing done about zeros. Spent is nothing done, less what was left out, gated "
        "and skipped, and metadata",
        "elsewhere: saved on links, address generation and leakage; % cycles: so many were saved"};
    document.headlines.push_back(std::move(headline));
    document.figures.push_back(zeros_figure("Energy and zeros, by memory", all.components, run));
    document.figures.push_back(zeros_figure("Energy and zeros, by layer", by_layer, run));
}

}  // namespace tilewright::views
