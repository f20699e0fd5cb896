// "tilewright-report": what map and evaluate write as report.json.

#include "report/documents/parts.hpp"

namespace tilewright::documents {
namespace {

views::Search search_of(const yaml::Node& node) {
    views::Search search;
    search.evaluations = whole(node.at("evaluations"));
    search.valid = whole(node.at("valid"));
    search.stopped_by = node.at("stopped_by").text();
    search.lower_bound = optional_amount(node, "lower_bound");
    if (const yaml::Node* proven = node.find("proven")) search.proven = proven->boolean();
    search.claim = optional_text(node, "claim");
    if (const yaml::Node* cached = node.find("from_cache")) search.from_cache = cached->boolean();
    return search;
}

}  // namespace

views::FrontPoint front_point(const yaml::Node& node) {
    return {amount(node.at("energy_pj")), amount(node.at("cycles")), nest_of(node.at("mapping"))};
}

views::Layer report_layer(const yaml::Node& node, double units) {
    views::Layer layer;
    layer.name = node.at("name").text();
    layer.same_shape = texts(node.at("same_shape"));
    layer.op = node.at("operator").text();
    layer.repeats = amount(node.at("repeats"));
    read_einsum(node.at("einsum"), layer);
    if (const yaml::Node* failures = node.find("failures")) layer.failures = texts(*failures);
    if (const yaml::Node* mapping = node.find("mapping")) layer.nest = nest_of(*mapping);
    if (const yaml::Node* evaluation = node.find("evaluation")) layer.costs = costs_of(*evaluation, units);
    if (const yaml::Node* front = node.find("front"))
        for (const yaml::Node& point : front->items()) layer.front.push_back(front_point(point));
    if (const yaml::Node* search = node.find("search")) layer.search = search_of(*search);
    return layer;
}

views::Document read_report(const yaml::Node& root, const std::string& file) {
    views::Run run = run_of(root, file);
    read_architecture(root.at("architecture"), run);
    run.network = root.at("network").at("name").text();
    for (const yaml::Node& one : root.at("network").at("unmapped_operators").items())
        run.unmapped.push_back({one.at("name").text(), one.at("operator").text(), one.at("reason").text()});
    for (const yaml::Node& layer : root.at("layers").items()) run.layers.push_back(report_layer(layer, run.units));
    run.title = title_of(run);
    return {file, {run}, {}};
}

}  // namespace tilewright::documents
