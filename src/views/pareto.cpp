// Pareto fronts: of every layer, the mappings of which none is better in both energy and latency.

#include "views/figures.hpp"
#include "views/parts.hpp"

namespace tilewright::views {

std::vector<Figure> pareto_figures(const std::vector<Run>& runs) {
    std::vector<Figure> figures;
    for (const Run& run : runs) {
        plot::Plane chart{"Pareto fronts: " + run.title, {"latency", "cycles", true}, {"energy", "J", true}, {}};
        for (const Layer& layer : run.layers) {
            plot::Series series{layer.name, false, {}, static_cast<int>(chart.series.size())};
            for (std::size_t i = 0; i < layer.front.size(); ++i)
                series.marks.push_back({layer.front[i].cycles, layer.front[i].energy_pj * kJoulesPerPicojoule,
                                        "mapping " + std::to_string(i + 1)});
            if (!series.marks.empty()) chart.series.push_back(series);
        }
        if (chart.series.empty()) continue;
        figures.push_back({"pareto",
                           "Each mark is a mapping of one run of the layer; none of a layer's is better in both energy "
                           "and latency. Numbers are those of the files in front/LAYER.",
                           chart, run.title});
    }
    return figures;
}

}  // namespace tilewright::views
