// Rooflines (Williams, Waterman and Patterson, CACM 52(4), 2009), one for each memory port with a bandwidth.
//
// A layer's intensity at a port is its multiply-accumulates per word of the memory through the port; throughput is
// limited by the units, and by the port's bandwidth times the intensity.

#include <algorithm>

#include "report/views/figures.hpp"

namespace tilewright::views {
namespace {

enum class Port { read, write, shared };

std::string name_of(const RunMemory& memory, Port port) {
    switch (port) {
        case Port::read: return memory.name + " (reads)";
        case Port::write: return memory.name + " (writes)";
        case Port::shared: return memory.name;
    }
    return memory.name;
}

std::optional<double> bandwidth_of(const RunMemory& memory, Port port) {
    switch (port) {
        case Port::read: return memory.read_words_per_cycle;
        case Port::write: return memory.write_words_per_cycle;
        case Port::shared: return memory.shared_words_per_cycle;
    }
    return {};
}

double words_through(const MemoryCosts& memory, Port port) {
    double words = 0.0;
    for (const TensorCosts& tensor : memory.tensors) {
        if (port != Port::write) words += tensor.bandwidth_share * tensor.read_words;
        if (port != Port::read) words += tensor.bandwidth_share * (tensor.fill_words + tensor.update_words);
    }
    return words;
}

std::vector<plot::Mark> marks_of(const Run& run, const RunMemory& memory, Port port) {
    std::vector<plot::Mark> marks;
    for (const Layer& layer : run.layers) {
        if (!layer.costs || layer.costs->cycles <= 0.0) continue;
        for (const MemoryCosts& costs : layer.costs->memories) {
            const double words = costs.memory == memory.name ? words_through(costs, port) : 0.0;
            if (words > 0.0)
                marks.push_back(
                    {layer.costs->computes / words, layer.costs->computes / layer.costs->cycles, layer.name});
        }
    }
    return marks;
}

// Up the bandwidth to the ridge, then along the peak; in the colour of its marks, under one name.
plot::Series roof(double bandwidth, double peak, double least, double most, int colour) {
    const double ridge = peak / bandwidth;
    const double begin = std::min(least, ridge / 4.0);
    const double end = std::max(most, ridge * 4.0);
    return {"", true, {{begin, bandwidth * begin, ""}, {ridge, peak, ""}, {end, peak, ""}}, colour};
}

/// A port with a bandwidth, and the layers under its roof.
struct Roof {
    std::string memory;
    std::string name;
    double words_per_cycle = 0.0;  ///< of all instances
    double busy_cycles = 0.0;      ///< of all layers at this bandwidth
    std::vector<plot::Mark> marks;
};

double busy_cycles(const Run& run, const RunMemory& memory, Port port, double words_per_cycle) {
    double words = 0.0;
    for (const Layer& layer : run.layers)
        if (layer.costs)
            for (const MemoryCosts& costs : layer.costs->memories)
                if (costs.memory == memory.name) words += words_through(costs, port) * layer.repeats;
    return words / words_per_cycle;
}

// The outermost memory first, then the busiest port.
std::vector<Roof> roofs_of(const Run& run) {
    std::vector<Roof> roofs;
    for (const RunMemory& memory : run.memories)
        for (const Port port : {Port::read, Port::write, Port::shared}) {
            const std::optional<double> bandwidth = bandwidth_of(memory, port);
            if (!bandwidth || *bandwidth <= 0.0) continue;
            std::vector<plot::Mark> marks = marks_of(run, memory, port);
            if (marks.empty()) continue;
            const double words_per_cycle = *bandwidth * memory.instances;
            roofs.push_back({memory.name, name_of(memory, port), words_per_cycle,
                             busy_cycles(run, memory, port, words_per_cycle), std::move(marks)});
        }
    const auto inner =
        std::ranges::find_if(roofs, [&](const Roof& roof) { return roof.memory != roofs.front().memory; });
    std::ranges::stable_sort(inner, roofs.end(), std::ranges::greater{}, &Roof::busy_cycles);
    std::ranges::stable_sort(roofs.begin(), inner, std::ranges::greater{}, &Roof::busy_cycles);
    return roofs;
}

Figure figure_of(const Run& run, const Roof& of) {
    const auto [least, most] = std::ranges::minmax(of.marks, {}, &plot::Mark::x);
    plot::Plane chart{"Roofline of " + of.name + ": " + run.title,
                      {"intensity", "MACs/word", true},
                      {"rate", "MACs/cycle", true},
                      {{of.name, false, of.marks, 0, true}}};
    chart.series.push_back(roof(of.words_per_cycle, run.units, least.x, most.x, 0));
    return {"roofline",
            "A mark is a layer: multiply-accumulates per word through the port against multiply-accumulates per cycle. "
            "On the slope it is bound by this port, on the flat part by the compute units, below both by something "
            "else.",
            chart, run.title};
}

}  // namespace

std::vector<Figure> roofline_figures(const std::vector<Run>& runs) {
    std::vector<Figure> figures;
    for (const Run& run : runs)
        if (run.units > 0.0)
            for (const Roof& roof : roofs_of(run)) figures.push_back(figure_of(run, roof));
    return figures;
}

}  // namespace tilewright::views
