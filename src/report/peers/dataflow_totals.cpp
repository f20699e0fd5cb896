#include "report/peers/dataflow_totals.hpp"

#include <algorithm>

#include "base/numbers/checked.hpp"

namespace tilewright::report {

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
