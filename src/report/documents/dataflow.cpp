// "tilewright-dataflow": layers under data-centric dataflows, by the exact analysis.

#include "report/documents/parts.hpp"

namespace tilewright::documents {
namespace {

views::MemoryCosts memory_of(const yaml::Node& node) {
    views::MemoryCosts memory;
    memory.memory = node.at("name").text();
    for (const yaml::Node& one : node.at("tensors").items()) {
        views::TensorCosts& tensor = memory.tensors.emplace_back();
        tensor.tensor = one.at("tensor").text();
        tensor.read_words = amount(one.at("read_words"));
        tensor.fill_words = amount(one.at("write_words"));
        tensor.energy_pj = amount(one.at("energy_pj"));
    }
    return memory;
}

views::Costs costs_of_dataflow(const yaml::Node& node) {
    views::Costs costs;
    costs.computes = amount(node.at("operations"));
    costs.cycles = amount(node.at("runtime_cycles"));
    costs.utilization = amount(node.at("utilization"));
    costs.energy_pj = amount(node.at("energy_pj").at("total"));
    costs.compute_energy_pj = amount(node.at("energy_pj").at("operations"));
    for (const yaml::Node& memory : node.at("memories").items()) costs.memories.push_back(memory_of(memory));
    return costs;
}

views::Layer dataflow_layer(const yaml::Node& node) {
    views::Layer layer;
    layer.name = node.at("layer").text();
    layer.same_shape = {layer.name};
    layer.repeats = amount(node.at("repeats"));
    layer.failures = texts(node.at("failures"));
    if (node.find("runtime_cycles") != nullptr) layer.costs = costs_of_dataflow(node);
    return layer;
}

}  // namespace

views::Document read_dataflow(const yaml::Node& root, const std::string& file) {
    const yaml::Node& accounting = root.at("accounting");
    if (accounting.text() != "exact")
        accounting.fail(ErrorCode::unsupported,
                        "the public tool's numbers have no energies of parts to draw; those of --account exact have");
    views::Run run;
    run.file = file;
    run.network = root.at("network").text();
    run.architecture = root.at("machine").text();
    run.accounting = "dataflow, exact";
    run.units = amount(root.at("units"));
    run.notes = texts(root.at("notes"));
    for (const yaml::Node& layer : root.at("layers").items()) run.layers.push_back(dataflow_layer(layer));
    for (const char* memory : {"DRAM", "L2", "L1"}) run.memories.emplace_back().name = memory;
    run.title = title_of(run);
    return {file, {run}, {}};
}

}  // namespace tilewright::documents
