#include "report/peers/scalesim_report.hpp"

#include <fmt/format.h>

#include "base/numbers/checked.hpp"
#include "base/numbers/number_text.hpp"
#include "report/document.hpp"
#include "report/fields.hpp"
#include "report/parts/table.hpp"

namespace tilewright::report {

yaml::Choice<scalesim::Stationary> stationary_key(scalesim::Stationary& stationary) {
    yaml::Choice<scalesim::Stationary> choice{stationary, {}};
    for (const scalesim::Stationary one : scalesim::kStationaries)
        choice.names.emplace_back(one, std::string(scalesim::name_of(one)));
    return choice;
}

void fields(yaml::Archive& archive, ScaleSimLayer& layer) {
    archive.name("Layer");
    archive("name", layer.name);
    archive("repeats", layer.repeats);
    archive("pixels", layer.product.pixels, "M");
    archive("filters", layer.product.filters, "N");
    archive("window", layer.product.window, "K");
    archive("groups", layer.product.groups, "which run one after the other");
    archive("row_folds", layer.run.row_folds);
    archive("column_folds", layer.run.column_folds);
    archive("cycles", layer.run.cycles, "under the machine's dataflow, stalls included");
    archive("stall_cycles", layer.run.stalled, "of these; without words_per_cycle there are none");
    archive.derived("utilization_percent", 100.0 * layer.run.utilization, "operations per unit and cycle");
    archive.derived("mapping_efficiency_percent", 100.0 * layer.run.mapping_efficiency,
                    "units with work, on average over the folds");
    archive.group("cycles_by_dataflow", [&](auto& cycles) {
        cycles("os", layer.cycles[0]);
        cycles("ws", layer.cycles[1]);
        cycles("is", layer.cycles[2]);
    });
}

void fields(yaml::Archive& archive, ScaleSimReport& report) {
    using scalesim::Stationary;
    document::begin(archive, "tilewright-scalesim/1", report.provenance);
    archive.constant("account", "scalesim");
    archive("machine", report.machine);
    archive("network", report.network);
    archive.group("array", [&](auto& array) {
        array("rows", yaml::Positive{report.array.rows});
        array("columns", yaml::Positive{report.array.columns});
    });
    archive("dataflow", stationary_key(report.stationary), "what stays in the array");
    archive("words_per_cycle", report.words_per_cycle, "of each memory, where the user gives it: stalls are counted");
    archive("layers", report.layers);
    archive.group("totals", [&](auto& totals) {
        totals.derived("cycles", report.total_cycles(report.stationary), "with repeats");
        totals.derived("stall_cycles", report.total_stalled(), "with repeats");
        totals.group("cycles_by_dataflow", [&](auto& cycles) {
            cycles.derived("os", report.total_cycles(Stationary::output));
            cycles.derived("ws", report.total_cycles(Stationary::weight));
            cycles.derived("is", report.total_cycles(Stationary::input));
        });
    });
    archive("unmapped", report.unmapped, "layers that are no matrix products");
    archive("notes", report.notes);
}

}  // namespace tilewright::report

namespace tilewright::report {
namespace {

using scalesim::Stationary;

std::string layers_text(const ScaleSimReport& report) {
    const bool stalls = report.words_per_cycle.has_value();
    std::vector<std::string> columns{"layer", "repeats", "M", "N", "K", "groups", "folds", "cycles"};
    if (stalls) columns.emplace_back("stalls");
    columns.insert(columns.end(), {"utilization", "mapped", "os", "ws", "is"});
    Table table(columns, "l" + std::string(columns.size() - 1, 'r'));
    for (const ScaleSimLayer& layer : report.layers) {
        std::vector<std::string> cells{layer.name,
                                       count_text(layer.repeats),
                                       count_text(layer.product.pixels),
                                       count_text(layer.product.filters),
                                       count_text(layer.product.window),
                                       count_text(layer.product.groups),
                                       fmt::format("{} x {}", layer.run.row_folds, layer.run.column_folds),
                                       count_text(layer.run.cycles)};
        if (stalls) cells.push_back(count_text(layer.run.stalled));
        cells.insert(cells.end(),
                     {share_text(layer.run.utilization), share_text(layer.run.mapping_efficiency),
                      count_text(layer.cycles[0]), count_text(layer.cycles[1]), count_text(layer.cycles[2])});
        table.add(cells);
    }
    table.rule();
    std::vector<std::string> totals{"total (with repeats)", "", "", "", "", "", ""};
    totals.push_back(count_text(report.total_cycles(report.stationary)));
    if (stalls) totals.push_back(count_text(report.total_stalled()));
    totals.insert(totals.end(), {"", ""});
    for (const Stationary one : scalesim::kStationaries) totals.push_back(count_text(report.total_cycles(one)));
    table.add(totals);
    return table.text();
}

}  // namespace

std::int64_t ScaleSimReport::total_cycles(Stationary which) const {
    std::int64_t total = 0;
    for (const ScaleSimLayer& layer : layers)
        total = checked_add(total, checked_mul(layer.repeats, layer.cycles.at(static_cast<std::size_t>(which))));
    return total;
}

std::int64_t ScaleSimReport::total_stalled() const {
    std::int64_t total = 0;
    for (const ScaleSimLayer& layer : layers) total = checked_add(total, checked_mul(layer.repeats, layer.run.stalled));
    return total;
}

std::string scalesim_text(const ScaleSimReport& report) {
    const std::string title =
        fmt::format("{} on {}: SCALE-Sim's cycles, {} rows x {} columns, {}", report.network, report.machine,
                    report.array.rows, report.array.columns, scalesim::name_of(report.stationary));
    std::string text = title + "\n" + std::string(title.size(), '=') + "\n" + layers_text(report);
    text += report.words_per_cycle
                ? fmt::format("\n  with the stalls of memories of {} a cycle, as SCALE-Sim counts them\n",
                              count_text(*report.words_per_cycle) + (*report.words_per_cycle == 1 ? " word" : " words"))
                : "\n  without stalls: the memories are as fast as the array asks for\n";
    for (const UnmappedOperator& one : report.unmapped)
        text += fmt::format("  not counted: {} ({}): {}\n", one.name, one.op, one.reason);
    for (const std::string& note : report.notes) text += "  note: " + note + "\n";
    return text;
}

std::string scalesim_json(const ScaleSimReport& report) { return dumped(yaml::place_of(report)); }

}  // namespace tilewright::report
