// Every layer as a stacked bar: energy by memory, words by memory, cycles by cause.
//
// Whole runs side by side: machines, mappers, accountings.
#include "report/views/figures.hpp"
#include "report/views/parts.hpp"

namespace tilewright::views {
namespace {

// One figure a run: a bar for each layer with costs, all its repeats together.
template <typename AddParts>
std::vector<Figure> stacks(const std::vector<Run>& runs, const Figure& shape, const std::string& what,
                           const plot::Axis& axis, AddParts add_parts) {
    std::vector<Figure> figures;
    const Palette palette(runs);
    for (const Run& run : runs) {
        plot::StackedBars chart{what + " by layer: " + run.title, {}, axis, {}};
        std::vector<const Layer*> layers;
        for (const Layer& layer : run.layers)
            if (layer.costs) layers.push_back(&layer);
        if (layers.empty()) continue;
        Parts parts(layers.size());
        for (std::size_t i = 0; i < layers.size(); ++i) {
            chart.bars.push_back(layers[i]->name);
            add_parts(*layers[i]->costs, i, layers[i]->repeats, parts);
        }
        chart.parts = parts.take(palette);
        figures.push_back({shape.kind, shape.caption, chart, run.title});
    }
    return figures;
}

constexpr const char* kCaption = "A bar is a whole run: all layers, each as often as it runs.";

}  // namespace

std::vector<Figure> energy_figures(const std::vector<Run>& runs) {
    const Figure shape{
        "energy",
        "A bar is a layer shape with all its repeats. A memory's part includes its leakage and the wires "
        "below it.",
        {},
        {}};
    return stacks(runs, shape, "Energy", {"energy", "J"},
                  [](const Costs& costs, std::size_t bar, double repeats, Parts& parts) {
                      for (const MemoryCosts& memory : costs.memories)
                          parts.add(bar, memory.memory, memory.energy_pj() * kJoulesPerPicojoule * repeats);
                      parts.add(bar, costs.computed_by(), costs.compute_energy_pj * kJoulesPerPicojoule * repeats);
                  });
}

std::vector<Figure> latency_figures(const std::vector<Run>& runs) {
    const Figure shape{
        "latency", "A bar is a layer shape with all its repeats, divided by what its cycles are spent on.", {}, {}};
    return stacks(runs, shape, "Latency", {"latency", "cycles"},
                  [](const Costs& costs, std::size_t bar, double repeats, Parts& parts) {
                      for (const Amount& part : costs.cycle_parts) parts.add(bar, part.name, part.value * repeats);
                  });
}

std::vector<Figure> traffic_figures(const std::vector<Run>& runs) {
    const Figure shape{
        "traffic", "Words read and written at each memory; a bar is a layer shape with all its repeats.", {}, {}};
    return stacks(runs, shape, "Traffic", {"traffic", "words"},
                  [](const Costs& costs, std::size_t bar, double repeats, Parts& parts) {
                      for (const MemoryCosts& memory : costs.memories)
                          parts.add(bar, memory.memory, memory.words() * repeats);
                  });
}

std::vector<Figure> comparison_figures(const std::vector<Run>& runs) {
    if (runs.size() < 2) return {};
    plot::StackedBars energy{"Energy by memory", {}, {"energy", "J"}, {}};
    plot::StackedBars latency{"Where the cycles go", {}, {"latency", "cycles"}, {}};
    Parts energies(runs.size());
    Parts cycles(runs.size());
    for (std::size_t r = 0; r < runs.size(); ++r) {
        energy.bars.push_back(runs[r].title);
        latency.bars.push_back(runs[r].title);
        for (const Layer& layer : runs[r].layers) {
            if (!layer.costs) continue;
            for (const MemoryCosts& memory : layer.costs->memories)
                energies.add(r, memory.memory, memory.energy_pj() * kJoulesPerPicojoule * layer.repeats);
            energies.add(r, layer.costs->computed_by(),
                         layer.costs->compute_energy_pj * kJoulesPerPicojoule * layer.repeats);
            for (const Amount& part : layer.costs->cycle_parts) cycles.add(r, part.name, part.value * layer.repeats);
        }
    }
    const Palette palette(runs);
    energy.parts = energies.take(palette);
    latency.parts = cycles.take(palette);
    return {{"compare", kCaption, energy, ""}, {"compare", kCaption, latency, ""}};
}

}  // namespace tilewright::views
