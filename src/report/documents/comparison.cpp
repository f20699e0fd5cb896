// "tilewright-comparison": one mapping under several accountings; a run for each.
//
// "tilewright-mappers": quality of each mapper's best mapping by evaluations, and by time.
#include <utility>

#include "report/comparison/mapper_comparison.hpp"
#include "report/documents/parts.hpp"
#include "report/fields.hpp"

namespace tilewright::documents {
namespace {

views::Figure curves(const document::Mappers& mappers, const std::vector<document::CurvePoint>& points,
                     const std::string& title, const plot::Axis& spent, const yaml::Node& place) {
    plot::Plane chart{title, spent, {"score over the best anyone found", "", false}, {}};
    for (const report::Contestant& contestant : mappers.contestants)
        chart.series.push_back({contestant.name(), true, {}, -1});
    for (const document::CurvePoint& point : points) {
        if (point.relative.size() != chart.series.size())
            place.fail(ErrorCode::bad_value, "expected a value for each contestant");
        for (std::size_t c = 0; c < point.relative.size(); ++c)
            if (point.relative[c]) chart.series[c].marks.push_back({point.spent, *point.relative[c], ""});
    }
    return {
        "convergence",
        "The best so far over the best that anyone found: mean of the runs, geometric mean of the layers; 1 is best. A "
        "curve begins where every layer has a mapping.",
        chart, ""};
}

}  // namespace

views::Document read_comparison(const yaml::Node& root, const std::string& file) {
    auto comparison = read_as<document::Comparison>(root);
    views::Run shared = run_of(comparison.provenance, file);
    take_machine(comparison.architecture, shared);
    shared.notes = comparison.notes;
    views::Layer layer;
    layer.name = "layer";
    layer.same_shape = {layer.name};
    take_einsum(std::move(comparison.einsum), layer);
    if (comparison.mapping) layer.nest = *std::move(comparison.mapping);
    views::Document document{file, {}, {}};
    for (const auto& [accounting, costs] : comparison.evaluations) {
        views::Run& run = document.runs.emplace_back(shared);
        run.accounting = accounting;
        run.title = title_of(run);
        run.layers = {layer};
        run.layers.front().costs = costs_of(costs, run.units);
    }
    return document;
}

views::Document read_mappers(const yaml::Node& root, const std::string& file) {
    const auto mappers = read_as<document::Mappers>(root);
    const std::string what = mappers.network + " on " + mappers.architecture;
    return {
        file,
        {},
        {curves(mappers, mappers.by_evaluations, "Mappers by evaluations: " + what, {"evaluations", "", true},
                root.at("by_evaluations")),
         curves(mappers, mappers.by_seconds, "Mappers by time: " + what, {"time", "s", true}, root.at("by_seconds"))}};
}

}  // namespace tilewright::documents
