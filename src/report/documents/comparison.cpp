// "tilewright-comparison": one mapping under several accountings; a run for each.

#include "report/documents/parts.hpp"

namespace tilewright::documents {

views::Document read_comparison(const yaml::Node& root, const std::string& file) {
    views::Run shared = run_of(root, file);
    read_architecture(root.at("architecture"), shared);
    views::Layer layer;
    layer.name = "layer";
    layer.same_shape = {layer.name};
    read_einsum(root.at("einsum"), layer);
    if (const yaml::Node* mapping = root.find("mapping")) layer.nest = nest_of(*mapping);
    views::Document document{file, {}, {}};
    for (const yaml::Node::Entry& entry : root.at("evaluations").entries()) {
        views::Run run = shared;
        run.accounting = entry.key;
        run.title = title_of(run);
        run.layers = {layer};
        run.layers.front().costs = costs_of(entry.value, run.units);
        document.runs.push_back(run);
    }
    return document;
}

}  // namespace tilewright::documents
