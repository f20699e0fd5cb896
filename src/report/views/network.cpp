// The whole network: energy by memory and tensor, and by operator.

#include "report/views/figures.hpp"
#include "report/views/parts.hpp"

namespace tilewright::views {
namespace {

// Bars are the memories, outermost first, the compute units and the vector unit.
std::vector<std::string> places_of(const Run& run) {
    std::vector<std::string> places;
    for (const RunMemory& memory : run.memories) places.push_back(memory.name);
    places.emplace_back("compute units");
    places.emplace_back(report::kVectorUnit);
    return places;
}

// Tensors of different layers are matched by role, as names differ between layers.
std::string role_of(const Layer& layer, const std::string& tensor) {
    int operand = 0;
    for (const document::Tensor& one : layer.tensors) {
        if (!one.written) ++operand;
        if (one.name == tensor) return one.written ? "result" : "operand " + std::to_string(operand);
    }
    return tensor;
}

void add_layer(const Run& run, const Layer& layer, bool by_name, Parts& parts) {
    const double scale = kJoulesPerPicojoule * layer.repeats;
    for (const MemoryCosts& memory : layer.costs->memories) {
        std::size_t place = 0;
        while (place < run.memories.size() && run.memories[place].name != memory.memory) ++place;
        if (place == run.memories.size()) continue;
        for (const TensorCosts& tensor : memory.tensors) {
            const std::string name = by_name ? tensor.tensor : role_of(layer, tensor.tensor);
            parts.add(place, name, tensor.energy_pj * scale);
            parts.add(place, name + " on wires", tensor.link_energy_pj * scale);
        }
        parts.add(place, "leakage", memory.leakage_pj * scale);
    }
    parts.add(run.memories.size() + (layer.costs->on_vector_unit ? 1 : 0), "arithmetic",
              layer.costs->compute_energy_pj * scale);
}

// Levels that only spread cost nothing.
void drop_empty_bars(plot::StackedBars& chart) {
    for (std::size_t i = chart.bars.size(); i-- > 0;) {
        double sum = 0.0;
        for (const plot::Part& part : chart.parts) sum += part.values[i];
        if (sum > 0.0) continue;
        chart.bars.erase(chart.bars.begin() + static_cast<std::ptrdiff_t>(i));
        for (plot::Part& part : chart.parts) part.values.erase(part.values.begin() + static_cast<std::ptrdiff_t>(i));
    }
}

// All layers with costs have the same tensor names.
bool same_names(const Run& run) {
    const Layer* first = nullptr;
    for (const Layer& layer : run.layers) {
        if (!layer.costs) continue;
        if (first == nullptr) first = &layer;
        if (layer.tensors.size() != first->tensors.size()) return false;
        for (std::size_t t = 0; t < layer.tensors.size(); ++t)
            if (layer.tensors[t].name != first->tensors[t].name) return false;
    }
    return true;
}

Figure by_memory(const Run& run, const Palette& palette) {
    plot::StackedBars chart{"Energy by memory and tensor: " + run.title, places_of(run), {"energy", "J"}, {}};
    Parts parts(chart.bars.size());
    const bool by_name = same_names(run);
    for (const Layer& layer : run.layers)
        if (layer.costs) add_layer(run, layer, by_name, parts);
    chart.parts = parts.take(palette);
    drop_empty_bars(chart);
    return {"network", "All layers, each as often as it runs.", chart, run.title};
}

Figure by_operator(const Run& run, const Palette& palette) {
    std::vector<std::string> operators;
    const auto index_of = [&](const Layer& layer) {
        const std::string name = layer.op.empty() ? "(none)" : layer.op;
        for (std::size_t i = 0; i < operators.size(); ++i)
            if (operators[i] == name) return i;
        operators.push_back(name);
        return operators.size() - 1;
    };
    for (const Layer& layer : run.layers) index_of(layer);
    plot::StackedBars chart{"Energy by operator and memory: " + run.title, {}, {"energy", "J"}, {}};
    Parts parts(operators.size());
    for (const Layer& layer : run.layers) {
        if (!layer.costs) continue;
        const double scale = kJoulesPerPicojoule * layer.repeats;
        for (const MemoryCosts& memory : layer.costs->memories)
            parts.add(index_of(layer), memory.memory, memory.energy_pj() * scale);
        parts.add(index_of(layer), layer.costs->computed_by(), layer.costs->compute_energy_pj * scale);
    }
    chart.bars = operators;
    chart.parts = parts.take(palette);
    return {"network", "All layers, each as often as it runs.", chart, run.title};
}

}  // namespace

std::vector<Figure> network_figures(const std::vector<Run>& runs) {
    std::vector<Figure> figures;
    const Palette palette(runs);
    for (const Run& run : runs) {
        if (totals(run).energy_pj <= 0.0) continue;
        figures.push_back(by_memory(run, palette));
        figures.push_back(by_operator(run, palette));
    }
    return figures;
}

}  // namespace tilewright::views
