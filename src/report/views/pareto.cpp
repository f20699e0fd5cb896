// Pareto fronts of every layer's mappings in energy and latency.

#include <algorithm>

#include "report/plot/chart.hpp"
#include "report/views/figures.hpp"
#include "report/views/network_front.hpp"
#include "report/views/parts.hpp"

namespace tilewright::views {
namespace {

// None for a single layer: its own front is the same.
std::vector<Figure> network_figure(const Run& run) {
    const std::vector<NetworkChoice> front = network_front(run);
    if (front.empty() || front.front().mappings.size() < 2) return {};
    plot::Plane chart{
        "Pareto front of the network: " + run.title, {"latency", "cycles", true}, {"energy", "J", true}, {}};
    plot::Series line{"", true, {}, 0};
    plot::Series marks{"choices of a mapping for every layer", false, {}, 0};
    std::vector<plot::PlacedPoint> points;
    for (const NetworkChoice& choice : front) points.push_back({choice.cycles, choice.energy_pj});
    const std::vector<std::size_t> drawn = plot::drawn_points(points, chart.x, chart.y);
    for (const std::size_t i : drawn) {
        const plot::Mark mark{front[i].cycles, front[i].energy_pj * kJoulesPerPicojoule, front[i].change};
        marks.marks.push_back(mark);
        line.marks.push_back({mark.x, mark.y, ""});
    }
    const auto best = std::ranges::min_element(
        front, {}, [](const NetworkChoice& choice) { return choice.energy_pj * choice.cycles; });
    const auto special = [](const NetworkChoice& choice, const std::string& name) {
        return plot::Mark{choice.cycles, choice.energy_pj * kJoulesPerPicojoule, name};
    };
    plot::Series named{"the ends and the least product", false, {}, 1, true};
    for (const plot::Mark& mark : {special(front.front(), "fastest"), special(*best, "least energy-delay product"),
                                   special(front.back(), "least energy")})
        if (!named.marks.empty() && named.marks.back().x == mark.x && named.marks.back().y == mark.y)
            named.marks.back().label += ", " + mark.label;
        else
            named.marks.push_back(mark);
    chart.series = {line, marks, named};
    std::string caption =
        "Each mark is a choice of one mapping for every layer, the layers one after another with their repeats. Each "
        "is "
        "the best for some weighting of energy against latency, so none is better in both; choices that are best for "
        "no "
        "weighting are left out.";
    if (const std::string text = plot::drawn_text(drawn.size(), points.size(), "choices"); !text.empty())
        caption += " " + text;
    return {{"pareto", caption, chart, run.title}};
}

}  // namespace

std::vector<Figure> pareto_figures(const std::vector<Run>& runs) {
    std::vector<Figure> figures;
    for (const Run& run : runs) {
        plot::Plane chart{
            "Pareto fronts by layer: " + run.title, {"latency", "cycles", true}, {"energy", "J", true}, {}};
        std::vector<plot::PlacedPoint> points;
        for (const Layer& layer : run.layers)
            for (const document::FrontPoint& point : layer.front)
                points.push_back({static_cast<double>(point.cycles), point.energy_pj});
        const std::vector<std::size_t> drawn = plot::drawn_points(points, chart.x, chart.y);
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
        for (Figure& figure : network_figure(run)) figures.push_back(std::move(figure));
        std::string caption =
            "Each mark is a mapping of one run of the layer; none of a layer's is better in both energy and latency. "
            "Numbers are those of the files in front/LAYER.";
        if (const std::string text = plot::drawn_text(drawn.size(), points.size(), "mappings"); !text.empty())
            caption += " " + text;
        figures.push_back({"pareto", caption, chart, run.title});
    }
    return figures;
}

}  // namespace tilewright::views
