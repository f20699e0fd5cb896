// Sums of a network under data-centric dataflows: its layers one after another, with repeats.
#pragma once

#include <cstdint>

#include "report/peers/dataflow_report.hpp"

namespace tilewright::report {

struct DataflowTotals {
    std::int64_t layers = 0;   ///< with an answer
    std::int64_t missing = 0;  ///< without one
    std::int64_t operations = 0;
    std::int64_t runtime_cycles = 0;
    double utilization = 0.0;  ///< operations per cycle, unit and lane
    double energy_operations = 0.0;
    dataflow::TableEnergy energy;
    std::int64_t l1_bytes = 0;  ///< largest need of a layer
    std::int64_t l2_bytes = 0;
};

/// Throws OverflowError.
DataflowTotals totals_of(const DataflowReport& report);

struct ToolTotals {
    std::int64_t operations = 0;
    std::int64_t runtime_cycles = 0;
    double energy_macs = 0.0;
};
/// `repeats` as in tool_text(). Throws OverflowError.
ToolTotals totals_of(const maestro::ToolResult& result, const maestro::ToolHardware& hardware,
                     const std::vector<std::int64_t>& repeats);

}  // namespace tilewright::report
