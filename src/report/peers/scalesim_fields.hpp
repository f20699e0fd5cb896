// The fields of what `tilewright evaluate --account scalesim` writes as JSON (yaml/archive.hpp). Internal to report/.
#pragma once

#include "report/machine_fields.hpp"
#include "report/peers/scalesim_report.hpp"

namespace tilewright::report {

template <typename S>
yaml::Choice<S> stationary_key(S& stationary) {
    yaml::Choice<S> choice{stationary, {}};
    for (const scalesim::Stationary one : scalesim::kStationaries)
        choice.names.emplace_back(one, std::string(scalesim::name_of(one)));
    return choice;
}

template <typename Archive, yaml::Of<ScaleSimLayer> T>
void fields(Archive& archive, T& layer) {
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

template <typename Archive, yaml::Of<ScaleSimReport> T>
void fields(Archive& archive, T& report) {
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
