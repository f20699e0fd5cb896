// Data-centric dataflows as JSON documents.

#include <cstdint>
#include <string>
#include <vector>
#include "report/fields.hpp"
#include "report/json_parts.hpp"
#include "report/peers/dataflow_document.hpp"
#include "report/peers/dataflow_report.hpp"

namespace tilewright::document {

inline constexpr const char* kDataflowSchema = "tilewright-dataflow/1";

}  // namespace tilewright::document

namespace tilewright::dataflow {

void fields(yaml::Archive& archive, Sent& sent) {
    archive.name("Sent");
    archive("multicast_words", sent.multicast, "a word that several sub-clusters need at once counts once");
    archive("unicast_words", sent.unicast);
    archive("array_words", sent.array, "words that no sub-cluster of the step before had");
}

void fields(yaml::Archive& archive, LevelCounts& level) {
    archive.name("Level");
    archive("steps", level.steps);
    archive("input", level.input);
    archive("filter", level.filter);
    archive("output_words_each_step", level.output_each);
    archive("output_words_on_change", level.output_change);
    archive("bytes_per_cycle", level.bytes_per_cycle);
}

void fields(yaml::Archive& archive, TableEnergy& energy) {
    archive("operations", energy.operations_pj);
    archive("l1", energy.l1_pj);
    archive("l2", energy.l2_pj);
    archive("dram", energy.dram_pj);
    archive.derived("total", energy.total_pj());
}

}  // namespace tilewright::dataflow

namespace tilewright::maestro {

void fields(yaml::Archive& archive, TensorCounts& tensor) {
    archive.name("ToolTensor");
    archive("l2_read", yaml::Signed{tensor.l2_read});
    archive("l2_write", yaml::Signed{tensor.l2_write});
    archive("l1_read", yaml::Signed{tensor.l1_read});
    archive("l1_write", yaml::Signed{tensor.l1_write});
    archive("l2_size", yaml::Signed{tensor.l2_size});
    archive("l1_size", yaml::Signed{tensor.l1_size});
}

}  // namespace tilewright::maestro

namespace tilewright::report {

void fields(yaml::Archive& archive, SearchedDataflow& found) {
    archive("dataflow", found.dataflow, "directives in the notation, of a search");
    archive("evaluations", found.evaluations);
    archive("cut_short", found.cut_short);
}

void fields(yaml::Archive& archive, DataflowSearchReport& search) {
    archive.name("Search");
    archive("mapper", search.mapper);
    archive("objective", search.objective);
    archive("seed", search.seed);
    archive("legal_only", search.legal);
}

void fields(yaml::Archive& archive, DataflowTotals& totals) {
    archive.name("Totals", "layers one after another, each as often as it runs; buffers: the most that a layer needs");
    archive("layers", totals.layers);
    archive("missing_layers", totals.missing);
    archive("operations", totals.operations);
    archive("runtime_cycles", totals.runtime_cycles);
    archive("utilization", totals.utilization);
    archive("energy_operations", totals.energy_operations);
    archive("energy_pj", totals.energy);
    archive("l1_bytes", totals.l1_bytes);
    archive("l2_bytes", totals.l2_bytes);
}

void fields(yaml::Archive& archive, ToolTotals& totals) {
    archive.name("ToolTotals", "layers one after another, each as often as it runs");
    archive("operations", yaml::Signed{totals.operations});
    archive("runtime_cycles", yaml::Signed{totals.runtime_cycles});
    archive("energy_macs", yaml::Signed{totals.energy_macs});
}

}  // namespace tilewright::report

namespace tilewright::document {

void fields(yaml::Archive& archive, DataflowFinding& finding) {
    yaml::Choice condition{finding.condition, {}};
    for (const auto one : {dataflow::Condition::bound, dataflow::Condition::coverage, dataflow::Condition::redundancy})
        condition.names.emplace_back(one, dataflow::name_of(one));
    archive("condition", condition);
    archive("level", finding.level);
    archive("text", finding.text);
    archive("file", finding.file);
    archive("line", finding.line);
}

void fields(yaml::Archive& archive, DataflowEnergy& energy) {
    fields(archive, energy.of);
    archive("sources", energy.sources);
}

void fields(yaml::Archive& archive, DataflowTensor& tensor) {
    archive("tensor", tensor.tensor, "operands or results");
    archive("read_words", tensor.read_words);
    archive("write_words", tensor.write_words);
    archive("energy_pj", tensor.energy_pj);
}

void fields(yaml::Archive& archive, DataflowMemory& memory) {
    archive("name", memory.name);
    archive("tensors", memory.tensors);
}

void fields(yaml::Archive& archive, DataflowCosts& costs) {
    using dataflow::CountedBy;
    archive.also("counted_by",
                 yaml::Choice{costs.counted_by,
                              {{CountedBy::closed_forms, "closed forms"}, {CountedBy::every_step, "every step"}}},
                 "every step: no closed form covers the dataflow, nothing else counted it");
    archive("operations", costs.operations);
    archive("runtime_cycles", costs.runtime_cycles);
    archive("utilization", costs.utilization);
    archive("energy_operations", costs.energy_operations,
            "in multiply-accumulates, with MAESTRO's energies of an access");
    archive("energy_pj", costs.energy);
    archive("memories", costs.memories, "DRAM, L2 and L1, over all units");
    archive("l1_bytes", costs.l1_bytes);
    archive("l2_bytes", costs.l2_bytes);
    archive("levels", costs.levels);
}

void fields(yaml::Archive& archive, DataflowLayer& layer) {
    archive.name("Layer");
    archive("layer", layer.name);
    archive("repeats", yaml::Positive{layer.repeats}, "how often the network runs it; all else is of one run");
    archive("operations_needed", layer.operations_needed);
    archive("failures", layer.failures);
    archive("findings", layer.findings);
    archive.part("operations", layer.costs);
    archive.part("dataflow", layer.search);
}

void fields(yaml::Archive& archive, Dataflows& dataflows) {
    archive.constant("schema", kDataflowSchema);
    archive("network", dataflows.network);
    archive("machine", dataflows.machine);
    archive.constant("accounting", "exact");
    archive("units", dataflows.units);
    archive("layers", dataflows.layers);
    archive("totals", dataflows.totals);
    archive("notes", dataflows.notes);
    archive.where_any("search", dataflows.search);
}

void fields(yaml::Archive& archive, ToolLayer& layer) {
    auto& printed = layer.printed;
    archive.name("ToolLayer");
    archive("layer", layer.name);
    archive("operations", yaml::Signed{layer.operations});
    archive("runtime_cycles", yaml::Signed{layer.runtime_cycles});
    archive("input", layer.tensors[maestro::kInput]);
    archive("filter", layer.tensors[maestro::kFilter]);
    archive("output", layer.tensors[maestro::kOutput]);
    archive("energy_macs", yaml::Signed{printed.energy_macs});
    archive("energy_nj", yaml::Signed{printed.energy_nj});
    archive("area_um2", yaml::Signed{printed.area_um2});
    archive("power_mw", yaml::Signed{printed.power_mw});
    archive.part("dataflow", layer.search);
}

void fields(yaml::Archive& archive, ToolDataflows& dataflows) {
    archive.constant("schema", kDataflowSchema);
    archive.constant("accounting", "maestro");
    archive("units", dataflows.units);
    archive("layers", dataflows.layers);
    archive("totals", dataflows.totals);
    archive("warnings", dataflows.warnings);
    archive.where_any("search", dataflows.search);
}

}  // namespace tilewright::document

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
    return dumped(yaml::place_of(document));
}

std::string tool_json(const maestro::ToolResult& result, const maestro::ToolHardware& hardware,
                      const std::vector<std::int64_t>& repeats, const DataflowSearchReport* search) {
    const std::vector<maestro::PrintedLayer> printed = maestro::printed(result, hardware);
    document::ToolDataflows document{
        hardware.units, {}, totals_of(result, hardware, repeats), maestro::warnings(result, hardware), {}};
    for (std::size_t i = 0; i < printed.size(); ++i) document.layers.push_back(layer_of(result.layers[i], printed[i]));
    add_search(search, document);
    return dumped(yaml::place_of(document));
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
