// Pareto fronts: of every layer, the mappings of which none is better in both energy and latency.

#include "report/views/figures.hpp"
#include "report/views/parts.hpp"
#include "report/views/thinning.hpp"

namespace tilewright::views {

std::vector<Figure> pareto_figures(const std::vector<Run>& runs) {
    std::vector<Figure> figures;
    for (const Run& run : runs) {
        plot::Plane chart{"Pareto fronts: " + run.title, {"latency", "cycles", true}, {"energy", "J", true}, {}};
        std::vector<PlacedPoint> points;
        for (const Layer& layer : run.layers)
            for (const document::FrontPoint& point : layer.front)
                points.push_back({static_cast<double>(point.cycles), point.energy_pj});
        const std::vector<std::size_t> drawn = drawn_points(points, chart.x, chart.y);
        auto next = drawn.begin();
        std::size_t first = 0;
        for (const Layer& layer : run.layers) {
            plot::Series series{layer.name, false, {}, static_cast<int>(chart.series.size())};
            for (; next != drawn.end() && *next < first + layer.front.size(); ++next) {
                const document::FrontPoint& point = layer.front[*next - first];
                series.marks.push_back({static_cast<double>(point.cycles), point.energy_pj * kJoulesPerPicojoule,
                                        "mapping " + std::to_string(*next - first + 1)});
            }
            first += layer.front.size();
            if (!series.marks.empty()) chart.series.push_back(series);
        }
        if (chart.series.empty()) continue;
        std::string caption =
            "Each mark is a mapping of one run of the layer; none of a layer's is better in both energy and latency. "
            "Numbers are those of the files in front/LAYER.";
        if (const std::string text = drawn_text(drawn.size(), points.size(), "mappings"); !text.empty())
            caption += " " + text;
        figures.push_back({"pareto", caption, chart, run.title});
    }
    return figures;
}

}  // namespace tilewright::views
