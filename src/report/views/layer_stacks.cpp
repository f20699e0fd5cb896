// Every layer as a stacked bar: energy by memory, words by memory, cycles by cause.

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

}  // namespace tilewright::views
