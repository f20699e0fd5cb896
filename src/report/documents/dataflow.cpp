// "tilewright-dataflow": layers under data-centric dataflows, by the exact analysis.

#include "report/documents/parts.hpp"
#include "report/fields.hpp"
#include "report/peers/dataflow_document.hpp"

namespace tilewright::documents {
namespace {

views::MemoryCosts memory_of(document::DataflowMemory memory) {
    views::MemoryCosts costs;
    costs.memory = std::move(memory.name);
    for (document::DataflowTensor& one : memory.tensors) {
        views::TensorCosts& tensor = costs.tensors.emplace_back();
        tensor.tensor = std::move(one.tensor);
        tensor.read_words = one.read_words;
        tensor.fill_words = one.write_words;
        tensor.energy_pj = one.energy_pj;
    }
    return costs;
}

views::Costs costs_of_dataflow(document::DataflowCosts from) {
    views::Costs costs;
    costs.computes = number(from.operations);
    costs.cycles = number(from.runtime_cycles);
    costs.utilization = from.utilization;
    costs.energy_pj = from.energy.of.total_pj();
    costs.compute_energy_pj = from.energy.of.operations_pj;
    for (document::DataflowMemory& memory : from.memories) costs.memories.push_back(memory_of(std::move(memory)));
    return costs;
}

views::Layer dataflow_layer(document::DataflowLayer from) {
    views::Layer layer;
    layer.name = std::move(from.name);
    layer.same_shape = {layer.name};
    layer.repeats = number(from.repeats);
    layer.failures = std::move(from.failures);
    if (from.costs) layer.costs = costs_of_dataflow(std::move(*from.costs));
    return layer;
}

}  // namespace

views::Document read_dataflow(const yaml::Node& root, const std::string& file) {
    const yaml::Node& accounting = root.at("accounting");
    if (accounting.text() != "exact")
        accounting.fail(ErrorCode::unsupported,
                        "the public tool's numbers have no energies of parts to draw; those of --account exact have");
    auto dataflows = read_as<document::Dataflows>(root);
    views::Run run;
    run.file = file;
    run.network = std::move(dataflows.network);
    run.architecture = std::move(dataflows.machine);
    run.accounting = "dataflow, exact";
    run.units = number(dataflows.units);
    run.notes = std::move(dataflows.notes);
    for (document::DataflowLayer& layer : dataflows.layers) run.layers.push_back(dataflow_layer(std::move(layer)));
    for (const char* memory : {"DRAM", "L2", "L1"}) run.memories.emplace_back().name = memory;
    run.title = title_of(run);
    return {file, {run}, {}};
}

}  // namespace tilewright::documents
