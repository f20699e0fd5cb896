// "tilewright-comparison": one mapping under several accountings; a run for each.

#include <utility>

#include "report/documents/parts.hpp"

namespace tilewright::documents {

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

}  // namespace tilewright::documents
