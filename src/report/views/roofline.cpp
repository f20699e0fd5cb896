// Rooflines (Williams, Waterman and Patterson, CACM 52(4), 2009), one for each memory port with a bandwidth.
//
// A layer's intensity at a port is its multiply-accumulates per word of the memory that passes the port; no layer is
// faster than the units allow, nor than the port's bandwidth times the intensity.

#include <algorithm>
#include <limits>

#include "report/views/figures.hpp"

namespace tilewright::views {
namespace {

enum class Port { read, write, shared };

std::string name_of(const Memory& memory, Port port) {
    switch (port) {
        case Port::read: return memory.name + " (reads)";
        case Port::write: return memory.name + " (writes)";
        case Port::shared: return memory.name;
    }
    return memory.name;
}

std::optional<double> bandwidth_of(const Memory& memory, Port port) {
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

std::vector<plot::Mark> marks_of(const Run& run, const Memory& memory, Port port) {
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

// Up the bandwidth to the ridge, then along the peak; in the colour of its marks, whose name stands for both.
plot::Series roof(double bandwidth, double peak, double least, double most, int colour) {
    const double ridge = peak / bandwidth;
    const double begin = std::min(least, ridge / 4.0);
    const double end = std::max(most, ridge * 4.0);
    return {"", true, {{begin, bandwidth * begin, ""}, {ridge, peak, ""}, {end, peak, ""}}, colour};
}

}  // namespace

std::vector<Figure> roofline_figures(const std::vector<Run>& runs) {
    std::vector<Figure> figures;
    for (const Run& run : runs) {
        plot::Plane chart{"Roofline: " + run.title, {"intensity", "MACs/word", true}, {"rate", "MACs/cycle", true}, {}};
        double least = std::numeric_limits<double>::infinity();
        double most = 0.0;
        std::vector<double> ports;  // their bandwidths; the k-th is of colour k
        for (const Memory& memory : run.memories)
            for (const Port port : {Port::read, Port::write, Port::shared}) {
                const std::optional<double> bandwidth = bandwidth_of(memory, port);
                if (!bandwidth || *bandwidth <= 0.0) continue;
                const std::vector<plot::Mark> marks = marks_of(run, memory, port);
                if (marks.empty()) continue;
                for (const plot::Mark& mark : marks) {
                    least = std::min(least, mark.x);
                    most = std::max(most, mark.x);
                }
                chart.series.push_back({name_of(memory, port), false, marks, static_cast<int>(ports.size())});
                ports.push_back(*bandwidth * memory.instances);
            }
        if (ports.empty() || run.units <= 0.0) continue;
        for (std::size_t k = 0; k < ports.size(); ++k)
            chart.series.push_back(roof(ports[k], run.units, least, most, static_cast<int>(k)));
        figures.push_back({"roofline",
                           "Each layer has one mark for each memory port: multiply-accumulates per word through the "
                           "port against multiply-accumulates per cycle. A mark on its slope is bound by that port.",
                           chart, run.title});
    }
    return figures;
}

}  // namespace tilewright::views
