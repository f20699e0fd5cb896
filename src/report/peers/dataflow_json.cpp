// Data-centric dataflows as JSON documents.

#include "report/json_parts.hpp"
#include "report/peers/dataflow_fields.hpp"

namespace tilewright::report {
namespace {

document::DataflowFinding finding_of(const dataflow::Finding& finding) {
    return {finding.condition, static_cast<std::int64_t>(finding.level), finding.text, finding.where.file,
            finding.where.line};
}

std::vector<document::DataflowMemory> memories_of(const DataflowLayer& layer, const dataflow::Hardware& hardware) {
    std::vector<document::DataflowMemory> memories;
    for (const dataflow::MemoryEnergy& of : memory_energies(layer.cost.accesses, hardware, layer.prices))
        memories.push_back({of.name,
                            {{"operands", of.reads.operands, of.writes.operands, of.operands_pj},
                             {"results", of.reads.sums, of.writes.sums, of.sums_pj}}});
    return memories;
}

document::DataflowCosts costs_of(const DataflowLayer& layer, const dataflow::Hardware& hardware) {
    const dataflow::LayerCost& cost = layer.cost;
    return {cost.counted_by,
            cost.counts->operations,
            cost.counts->runtime_cycles,
            cost.utilization,
            cost.energy_operations,
            {layer.energy, layer.prices.sources},
            memories_of(layer, hardware),
            cost.l1_bytes,
            cost.l2_bytes,
            cost.counts->levels};
}

document::DataflowLayer layer_of(const DataflowLayer& from, const dataflow::Hardware& hardware) {
    document::DataflowLayer layer{from.name, from.repeats, from.cost.operations, from.cost.failures, {}, {}, {}};
    for (const dataflow::Finding& finding : from.cost.findings) layer.findings.push_back(finding_of(finding));
    if (from.cost.counts) layer.costs = costs_of(from, hardware);
    return layer;
}

document::ToolLayer layer_of(const maestro::LayerCounts& from, const maestro::PrintedLayer& printed) {
    document::ToolLayer layer{from.name, from.top.operations, from.top.runtime, from.top.tensors, printed, {}};
    for (std::size_t tensor = 0; tensor < layer.tensors.size(); ++tensor)
        layer.tensors[tensor].l1_size = from.innermost.tensors[tensor].l1_size;
    return layer;
}

template <typename Document>
void add_search(const DataflowSearchReport* search, Document& document) {
    if (search == nullptr) return;
    document.search = *search;
    for (std::size_t i = 0; i < search->layers.size() && i < document.layers.size(); ++i)
        document.layers[i].search = search->layers[i];
}

}  // namespace

std::string dataflow_json(const DataflowReport& report, const DataflowSearchReport* search) {
    document::Dataflows document{
        report.network, report.machine, report.hardware.units, {}, totals_of(report), report.notes, {}};
    for (const DataflowLayer& layer : report.layers) document.layers.push_back(layer_of(layer, report.hardware));
    add_search(search, document);
    return dumped(yaml::Writer::write(document));
}

std::string tool_json(const maestro::ToolResult& result, const maestro::ToolHardware& hardware,
                      const std::vector<std::int64_t>& repeats, const DataflowSearchReport* search) {
    const std::vector<maestro::PrintedLayer> printed = maestro::printed(result, hardware);
    document::ToolDataflows document{
        hardware.units, {}, totals_of(result, hardware, repeats), maestro::warnings(result, hardware), {}};
    for (std::size_t i = 0; i < printed.size(); ++i) document.layers.push_back(layer_of(result.layers[i], printed[i]));
    add_search(search, document);
    return dumped(yaml::Writer::write(document));
}

std::string timeloop_json(const DataflowReport& report, const std::vector<TimeloopRow>& timeloop) {
    Json document{{"accounting", "timeloop"}, {"layers", Json::array()}};
    for (std::size_t i = 0; i < timeloop.size(); ++i) {
        const TimeloopRow& row = timeloop[i];
        if (!row.failure.empty())
            document["layers"].push_back({{"layer", report.layers[i].name}, {"failure", row.failure}});
        else
            document["layers"].push_back({{"layer", report.layers[i].name},
                                          {"operations", row.operations},
                                          {"cycles", row.cycles},
                                          {"input_reads", row.input_reads},
                                          {"filter_reads", row.filter_reads},
                                          {"output_writes", row.output_writes}});
    }
    return dumped(document);
}

}  // namespace tilewright::report
