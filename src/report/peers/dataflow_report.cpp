#include "report/peers/dataflow_report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/numbers/checked.hpp"
#include "base/numbers/number_text.hpp"
#include "report/parts/table.hpp"

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

// Buffers have to hold the greediest layer's data.
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

// Limited resources below the layer's needs.
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

// "found by gamma for edp, seed 1, 40,000 dataflows"; one layer's dataflow is shown, several are in a file.
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

DataflowTotals totals_of(const DataflowReport& report) {
    DataflowTotals totals;
    totals.missing = report.missing_layers;
    for (const DataflowLayer& layer : report.layers) {
        if (!layer.cost.counts) {
            totals.missing += layer.repeats;
            continue;
        }
        const auto runs = static_cast<double>(layer.repeats);
        totals.layers += layer.repeats;
        totals.operations = checked_add(totals.operations, checked_mul(layer.repeats, layer.cost.counts->operations));
        totals.runtime_cycles =
            checked_add(totals.runtime_cycles, checked_mul(layer.repeats, layer.cost.counts->runtime_cycles));
        totals.energy_operations += runs * layer.cost.energy_operations;
        totals.energy.operations_pj += runs * layer.energy.operations_pj;
        totals.energy.l1_pj += runs * layer.energy.l1_pj;
        totals.energy.l2_pj += runs * layer.energy.l2_pj;
        totals.energy.dram_pj += runs * layer.energy.dram_pj;
        totals.l1_bytes = std::max(totals.l1_bytes, layer.cost.l1_bytes);
        totals.l2_bytes = std::max(totals.l2_bytes, layer.cost.l2_bytes);
    }
    const auto peak = static_cast<double>(report.hardware.units * report.hardware.vector_width);
    if (totals.runtime_cycles > 0)
        totals.utilization =
            static_cast<double>(totals.operations) / (static_cast<double>(totals.runtime_cycles) * peak);
    return totals;
}

ToolTotals totals_of(const maestro::ToolResult& result, const maestro::ToolHardware& hardware,
                     const std::vector<std::int64_t>& repeats) {
    ToolTotals totals;
    const std::vector<maestro::PrintedLayer> printed = maestro::printed(result, hardware);
    for (std::size_t i = 0; i < printed.size(); ++i) {
        const std::int64_t runs = i < repeats.size() ? repeats[i] : 1;
        totals.operations = checked_add(totals.operations, checked_mul(runs, result.layers[i].top.operations));
        totals.runtime_cycles = checked_add(totals.runtime_cycles, checked_mul(runs, result.layers[i].top.runtime));
        totals.energy_macs += static_cast<double>(runs) * printed[i].energy_macs;
    }
    return totals;
}

}  // namespace tilewright::report
