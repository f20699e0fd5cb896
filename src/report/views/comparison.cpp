// Whole runs side by side: machines, mappers, accountings.

#include "report/views/figures.hpp"
#include "report/views/parts.hpp"

namespace tilewright::views {
namespace {

constexpr const char* kCaption = "A bar is a whole run: all layers, each as often as it runs.";

}  // namespace

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
