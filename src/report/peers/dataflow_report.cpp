#include "report/peers/dataflow_report.hpp"

#include <fmt/format.h>

#include <array>

#include "base/numbers/number_text.hpp"
#include "report/json_parts.hpp"
#include "report/parts/csv_cell.hpp"
#include "report/parts/table.hpp"
#include "report/peers/dataflow_totals.hpp"

namespace tilewright::report {
namespace {

std::string optional_text(const std::optional<std::int64_t>& value, const char* unit) {
    return value ? count_text(*value) + " " + unit : "unlimited";
}

std::string hardware_line(const dataflow::Hardware& hardware) {
    return fmt::format("{} units, L1 {}, L2 {}, network {}, latency {}{}", hardware.units,
                       optional_text(hardware.l1_bytes, "bytes"), optional_text(hardware.l2_bytes, "bytes"),
                       optional_text(hardware.noc_bytes_per_cycle, "bytes/cycle"), hardware.noc_latency_cycles,
                       hardware.multicast ? "" : ", no multicast");
}

std::vector<std::string> row_of(const DataflowLayer& layer) {
    const dataflow::LayerCost& cost = layer.cost;
    if (!cost.counts) return {layer.name, count_text(layer.repeats), count_text(cost.operations), "no answer"};
    const dataflow::LevelCounts& top = cost.counts->levels.front();
    return {layer.name,
            count_text(layer.repeats),
            count_text(cost.counts->operations),
            count_text(cost.counts->runtime_cycles),
            share_text(cost.utilization),
            count_text(top.input.multicast),
            count_text(top.filter.multicast),
            count_text(top.output_change),
            count_text(cost.l1_bytes),
            count_text(cost.l2_bytes),
            count_text(top.bytes_per_cycle),
            figure_text(cost.energy_operations),
            energy_text(layer.energy.total_pj())};
}

// Buffers have to hold what the greediest layer needs.
std::vector<std::string> total_row(const DataflowTotals& totals) {
    return {"total (with repeats)",
            count_text(totals.layers),
            count_text(totals.operations),
            count_text(totals.runtime_cycles),
            share_text(totals.utilization),
            "",
            "",
            "",
            count_text(totals.l1_bytes),
            count_text(totals.l2_bytes),
            "",
            figure_text(totals.energy_operations),
            energy_text(totals.energy.total_pj())};
}

std::string finding_text(const dataflow::Finding& finding) {
    const std::string place =
        finding.where.line > 0 ? fmt::format("{}:{}:{}: ", finding.where.file, finding.where.line, finding.where.column)
                               : "";
    return fmt::format("{}{}: {}", place, dataflow::name_of(finding.condition), finding.text);
}

// More than the layer needs of what is limited.
std::vector<std::string> shortages(const DataflowLayer& layer, const dataflow::Hardware& hardware) {
    std::vector<std::string> texts;
    const auto check = [&](const char* what, std::int64_t needs, const std::optional<std::int64_t>& has) {
        if (has && needs > *has) texts.push_back(fmt::format("needs {} bytes of {}, which has {}", needs, what, *has));
    };
    if (!layer.cost.counts) return texts;
    check("L1", layer.cost.l1_bytes, hardware.l1_bytes);
    check("L2", layer.cost.l2_bytes, hardware.l2_bytes);
    return texts;
}

Json sent_json(const dataflow::Sent& sent) {
    return {{"multicast_words", sent.multicast}, {"unicast_words", sent.unicast}, {"array_words", sent.array}};
}

Json energy_json(const dataflow::TableEnergy& energy) {
    return {{"total", energy.total_pj()},
            {"operations", energy.operations_pj},
            {"l1", energy.l1_pj},
            {"l2", energy.l2_pj},
            {"dram", energy.dram_pj}};
}

// DRAM, L2 and L1, over all units.
Json memories_json(const DataflowLayer& layer, const dataflow::Hardware& hardware) {
    Json memories = Json::array();
    for (const dataflow::MemoryEnergy& memory : memory_energies(layer.cost.accesses, hardware, layer.prices)) {
        Json tensors = Json::array();
        tensors.push_back({{"tensor", "operands"},
                           {"read_words", memory.reads.operands},
                           {"write_words", memory.writes.operands},
                           {"energy_pj", memory.operands_pj}});
        tensors.push_back({{"tensor", "results"},
                           {"read_words", memory.reads.sums},
                           {"write_words", memory.writes.sums},
                           {"energy_pj", memory.sums_pj}});
        memories.push_back({{"name", memory.name}, {"tensors", tensors}});
    }
    return memories;
}

Json totals_json(const DataflowTotals& totals) {
    return {{"layers", totals.layers},
            {"missing_layers", totals.missing},
            {"operations", totals.operations},
            {"runtime_cycles", totals.runtime_cycles},
            {"utilization", totals.utilization},
            {"energy_operations", totals.energy_operations},
            {"energy_pj", energy_json(totals.energy)},
            {"l1_bytes", totals.l1_bytes},
            {"l2_bytes", totals.l2_bytes}};
}

const char* counted_by_text(dataflow::CountedBy by) {
    return by == dataflow::CountedBy::closed_forms ? "closed forms" : "every step";
}

Json cost_json(const DataflowLayer& layer, const dataflow::Hardware& hardware) {
    const dataflow::LayerCost& cost = layer.cost;
    Json row{{"layer", layer.name},
             {"repeats", layer.repeats},
             {"operations_needed", cost.operations},
             {"failures", cost.failures}};
    row["findings"] = Json::array();
    for (const dataflow::Finding& finding : cost.findings)
        row["findings"].push_back({{"condition", dataflow::name_of(finding.condition)},
                                   {"level", finding.level},
                                   {"text", finding.text},
                                   {"file", finding.where.file},
                                   {"line", finding.where.line}});
    if (!cost.counts) return row;
    row["counted_by"] = counted_by_text(cost.counted_by);
    row["operations"] = cost.counts->operations;
    row["runtime_cycles"] = cost.counts->runtime_cycles;
    row["utilization"] = cost.utilization;
    row["energy_operations"] = cost.energy_operations;
    row["energy_pj"] = energy_json(layer.energy);
    row["energy_pj"]["sources"] = layer.prices.sources;
    row["memories"] = memories_json(layer, hardware);
    row["l1_bytes"] = cost.l1_bytes;
    row["l2_bytes"] = cost.l2_bytes;
    row["levels"] = Json::array();
    for (const dataflow::LevelCounts& level : cost.counts->levels)
        row["levels"].push_back({{"steps", level.steps},
                                 {"input", sent_json(level.input)},
                                 {"filter", sent_json(level.filter)},
                                 {"output_words_each_step", level.output_each},
                                 {"output_words_on_change", level.output_change},
                                 {"bytes_per_cycle", level.bytes_per_cycle}});
    return row;
}

// "found by gamma for edp, seed 1, 40,000 dataflows"; one layer's dataflow is shown, many are in a file.
std::string search_text(const DataflowSearchReport& search) {
    std::string text = "\n";
    for (const SearchedDataflow& one : search.layers)
        text += fmt::format("  {}: best of {} dataflows{}\n", one.layer, count_text(one.evaluations),
                            one.cut_short ? " (cut short)" : "");
    text += fmt::format("  searched by {} for {}, seed {}{}\n", search.mapper, search.objective, search.seed,
                        search.legal ? "" : ", illegal dataflows among them");
    if (search.layers.size() != 1) return text;
    std::string lines = "\n    " + search.layers.front().dataflow + "\n";
    for (std::size_t at = 0; (at = lines.find("; ", at)) != std::string::npos; at += 6) lines.replace(at, 2, ";\n    ");
    return text + lines;
}

void add_search(const DataflowSearchReport* search, Json& document) {
    if (search == nullptr) return;
    document["search"] = {{"mapper", search->mapper},
                          {"objective", search->objective},
                          {"seed", search->seed},
                          {"legal_only", search->legal}};
    for (std::size_t i = 0; i < search->layers.size() && i < document["layers"].size(); ++i) {
        Json& layer = document["layers"][i];
        layer["dataflow"] = search->layers[i].dataflow;
        layer["evaluations"] = search->layers[i].evaluations;
        layer["cut_short"] = search->layers[i].cut_short;
    }
}

constexpr const char* kSchema = "tilewright-dataflow/1";

}  // namespace

std::string dataflow_text(const DataflowReport& report, const DataflowSearchReport* search) {
    std::string text = fmt::format("{}\n  {}\n\n", report.network, hardware_line(report.hardware));
    Table table({"layer", "repeats", "MACs", "cycles", "utilization", "input words", "filter words", "output words",
                 "L1 bytes", "L2 bytes", "bytes/cycle", "energy (MACs)", "energy"},
                "lrrrrrrrrrrrr");
    std::string remarks;
    for (const DataflowLayer& layer : report.layers) {
        table.add(row_of(layer));
        for (const std::string& failure : layer.cost.failures) remarks += "  " + layer.name + ": " + failure + "\n";
        if (layer.cost.counts && layer.cost.counted_by == dataflow::CountedBy::every_step)
            remarks += "  " + layer.name + ": counted by visiting every step; no closed form covers it\n";
        for (const dataflow::Finding& finding : layer.cost.findings)
            remarks += "  " + layer.name + ": " + finding_text(finding) + "\n";
        for (const std::string& shortage : shortages(layer, report.hardware))
            remarks += "  " + layer.name + ": " + shortage + "\n";
    }
    const DataflowTotals totals = totals_of(report);
    table.rule();
    table.add(total_row(totals));
    text += table.text();
    if (totals.missing > 0)
        text += fmt::format("\n  the total is of {} of {} layers\n", count_text(totals.layers),
                            count_text(totals.layers + totals.missing));
    if (!remarks.empty()) text += "\n" + remarks;
    if (search != nullptr) text += search_text(*search);
    for (const std::string& note : report.notes) text += "  note: " + note + "\n";
    return text;
}

std::string dataflow_json(const DataflowReport& report, const DataflowSearchReport* search) {
    Json document{{"schema", kSchema},
                  {"network", report.network},
                  {"machine", report.machine},
                  {"accounting", "exact"},
                  {"units", report.hardware.units}};
    document["layers"] = Json::array();
    for (const DataflowLayer& layer : report.layers) document["layers"].push_back(cost_json(layer, report.hardware));
    document["totals"] = totals_json(totals_of(report));
    document["notes"] = report.notes;
    add_search(search, document);
    return document.dump(2) + "\n";
}

std::string dataflow_csv(const DataflowReport& report) {
    std::string text =
        "network,machine,row,layer,repeats,operations,cycles,utilization,input_words,filter_words,output_words,"
        "l1_bytes,l2_bytes,bytes_per_cycle,energy_macs,energy_pj,operations_pj,l1_pj,l2_pj,dram_pj\n";
    const std::string start = csv_cell(report.network) + "," + csv_cell(report.machine);
    const auto energies = [](double macs, const dataflow::TableEnergy& energy) {
        return fmt::format("{},{},{},{},{},{}", macs, energy.total_pj(), energy.operations_pj, energy.l1_pj,
                           energy.l2_pj, energy.dram_pj);
    };
    for (const DataflowLayer& layer : report.layers) {
        const dataflow::LayerCost& cost = layer.cost;
        const std::string name =
            fmt::format("{},{},{},{}", start, cost.counts ? "layer" : "no_answer", csv_cell(layer.name), layer.repeats);
        if (!cost.counts) {
            text += name + std::string(15, ',') + "\n";
            continue;
        }
        const dataflow::LevelCounts& top = cost.counts->levels.front();
        text += fmt::format("{},{},{},{},{},{},{},{},{},{},{}\n", name, cost.counts->operations,
                            cost.counts->runtime_cycles, cost.utilization, top.input.multicast, top.filter.multicast,
                            top.output_change, cost.l1_bytes, cost.l2_bytes, top.bytes_per_cycle,
                            energies(cost.energy_operations, layer.energy));
    }
    const DataflowTotals totals = totals_of(report);
    return text + fmt::format("{},total,,{},{},{},{},,,,{},{},,{}\n", start, totals.layers, totals.operations,
                              totals.runtime_cycles, totals.utilization, totals.l1_bytes, totals.l2_bytes,
                              energies(totals.energy_operations, totals.energy));
}

std::string tool_text(const maestro::ToolResult& result, const maestro::ToolHardware& hardware,
                      const std::vector<std::int64_t>& repeats, const DataflowSearchReport* search) {
    Table table({"layer", "MACs", "cycles", "input L2 reads", "filter L2 reads", "output L2 writes", "L1 size",
                 "L2 size", "bandwidth", "energy (MACs)"},
                "lrrrrrrrrr");
    const std::vector<maestro::PrintedLayer> printed = maestro::printed(result, hardware);
    for (std::size_t i = 0; i < printed.size(); ++i) {
        const maestro::LayerCounts& layer = result.layers[i];
        table.add({layer.name, count_text(layer.top.operations), count_text(layer.top.runtime),
                   count_text(layer.top.tensors[maestro::kInput].l2_read),
                   count_text(layer.top.tensors[maestro::kFilter].l2_read),
                   count_text(layer.top.tensors[maestro::kOutput].l2_write), count_text(layer.l1_size()),
                   count_text(layer.l2_size()), count_text(layer.top.peak_bandwidth),
                   figure_text(printed[i].energy_macs)});
    }
    const ToolTotals totals = totals_of(result, hardware, repeats);
    table.rule();
    table.add({"total (with repeats)", count_text(totals.operations), count_text(totals.runtime_cycles), "", "", "", "",
               "", "", figure_text(totals.energy_macs)});
    std::string text = "As the public MAESTRO counts, faults included\n\n" + table.text();
    for (const std::string& warning : maestro::warnings(result, hardware)) text += "  " + warning + "\n";
    if (search != nullptr) text += search_text(*search);
    return text;
}

std::string tool_json(const maestro::ToolResult& result, const maestro::ToolHardware& hardware,
                      const std::vector<std::int64_t>& repeats, const DataflowSearchReport* search) {
    Json document{{"schema", kSchema}, {"accounting", "maestro"}, {"units", hardware.units}, {"layers", Json::array()}};
    const std::vector<maestro::PrintedLayer> printed = maestro::printed(result, hardware);
    for (std::size_t i = 0; i < printed.size(); ++i) {
        const maestro::LayerCounts& layer = result.layers[i];
        Json row{{"layer", layer.name}, {"operations", layer.top.operations}, {"runtime_cycles", layer.top.runtime}};
        constexpr std::array<const char*, maestro::kTensors> kNames{"input", "filter", "output"};
        for (std::size_t tensor = 0; tensor < kNames.size(); ++tensor) {
            const maestro::TensorCounts& counts = layer.top.tensors[tensor];
            row[kNames[tensor]] = {{"l2_read", counts.l2_read}, {"l2_write", counts.l2_write},
                                   {"l1_read", counts.l1_read}, {"l1_write", counts.l1_write},
                                   {"l2_size", counts.l2_size}, {"l1_size", layer.innermost.tensors[tensor].l1_size}};
        }
        row["energy_macs"] = printed[i].energy_macs;
        row["energy_nj"] = printed[i].energy_nj;
        row["area_um2"] = printed[i].area_um2;
        row["power_mw"] = printed[i].power_mw;
        document["layers"].push_back(row);
    }
    const ToolTotals totals = totals_of(result, hardware, repeats);
    document["totals"] = {{"operations", totals.operations},
                          {"runtime_cycles", totals.runtime_cycles},
                          {"energy_macs", totals.energy_macs}};
    document["warnings"] = maestro::warnings(result, hardware);
    add_search(search, document);
    return document.dump(2) + "\n";
}

std::string dataflow_comparison_text(const DataflowReport& report, const maestro::ToolResult& tool,
                                     const maestro::ToolHardware& hardware, const std::vector<TimeloopRow>& timeloop) {
    std::string remarks;
    Table table({"layer", "accounting", "MACs", "cycles", "input L2 reads", "filter L2 reads", "output L2 writes",
                 "energy (MACs)"},
                "llrrrrrr");
    const std::vector<maestro::PrintedLayer> printed = maestro::printed(tool, hardware);
    for (std::size_t i = 0; i < report.layers.size() && i < printed.size(); ++i) {
        const dataflow::LayerCost& cost = report.layers[i].cost;
        const maestro::LevelCounts& counted = tool.layers[i].top;
        if (cost.counts) {
            const dataflow::LevelCounts& top = cost.counts->levels.front();
            table.add({report.layers[i].name, "exact", count_text(cost.counts->operations),
                       count_text(cost.counts->runtime_cycles), count_text(top.input.multicast),
                       count_text(top.filter.multicast), count_text(top.output_change),
                       figure_text(cost.energy_operations)});
        }
        table.add({cost.counts ? "" : report.layers[i].name, "maestro", count_text(counted.operations),
                   count_text(counted.runtime), count_text(counted.tensors[maestro::kInput].l2_read),
                   count_text(counted.tensors[maestro::kFilter].l2_read),
                   count_text(counted.tensors[maestro::kOutput].l2_write), figure_text(printed[i].energy_macs)});
        if (i >= timeloop.size()) continue;
        const TimeloopRow& row = timeloop[i];
        if (row.failure.empty())
            table.add({"", "timeloop", count_text(row.operations), count_text(row.cycles), count_text(row.input_reads),
                       count_text(row.filter_reads), count_text(row.output_writes), "-"});
        else
            remarks += "  " + report.layers[i].name + ": no line for timeloop: " + row.failure + "\n";
    }
    return table.text() + remarks;
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
    return document.dump(2) + "\n";
}

}  // namespace tilewright::report
