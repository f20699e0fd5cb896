// Data-centric dataflows for people and machines: a row per layer, illegal layers, reasons of failures.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "maestro/account/printed.hpp"
#include "maestro/cost/cost.hpp"
#include "maestro/cost/table_energy.hpp"

namespace tilewright::report {

struct DataflowLayer {
    std::string name;
    std::int64_t repeats = 1;  ///< repeats in the network; all else is of one run
    dataflow::LayerCost cost;
    dataflow::TableEnergy energy;  ///< if there are counts
    dataflow::BytePrices prices;
};

struct DataflowReport {
    std::string network;
    std::string machine;
    dataflow::Hardware hardware;
    std::vector<DataflowLayer> layers;
    std::int64_t missing_layers = 0;  ///< absent from `layers`, with repeats
    std::vector<std::string> notes;
};

struct SearchedDataflow {
    std::string layer;
    std::string dataflow;  ///< its directives in the notation, in one line
    std::int64_t evaluations = 0;
    bool cut_short = false;
};
struct DataflowSearchReport {
    std::string mapper;
    std::string objective;
    std::uint64_t seed = 1;
    bool legal = true;                     ///< only legal ones were taken
    std::vector<SearchedDataflow> layers;  ///< those with an answer, in the order of the report
};

/// The exact analysis: counts, buffers, energy; then the findings and failures.
std::string dataflow_text(const DataflowReport& report, const DataflowSearchReport* search = nullptr);
/// The same as one JSON document (schemas/dataflow-1.schema.json), with every count of every level.
std::string dataflow_json(const DataflowReport& report, const DataflowSearchReport* search = nullptr);

/// A row per layer, of one run of it, and one with the totals of the network.
std::string dataflow_csv(const DataflowReport& report);

/// The public tool's numbers; `repeats` of every layer (default 1), for the totals.
std::string tool_text(const maestro::ToolResult& result, const maestro::ToolHardware& hardware,
                      const std::vector<std::int64_t>& repeats, const DataflowSearchReport* search = nullptr);
std::string tool_json(const maestro::ToolResult& result, const maestro::ToolHardware& hardware,
                      const std::vector<std::int64_t>& repeats, const DataflowSearchReport* search = nullptr);

/// A layer's loops by Timeloop's counts, on a chain of memories.
struct TimeloopRow {
    std::string failure;  ///< reason of missing counts, or ""
    std::int64_t operations = 0;
    std::int64_t cycles = 0;
    std::int64_t input_reads = 0;  ///< of the outermost memory, words
    std::int64_t filter_reads = 0;
    std::int64_t output_writes = 0;
};

/// All side by side. Requires equal numbers of layers; `timeloop` may be empty.
std::string dataflow_comparison_text(const DataflowReport& report, const maestro::ToolResult& tool,
                                     const maestro::ToolHardware& hardware, const std::vector<TimeloopRow>& timeloop);
/// Timeloop's rows as a JSON document of their own.
std::string timeloop_json(const DataflowReport& report, const std::vector<TimeloopRow>& timeloop);

// Sums of a network under data-centric dataflows: its layers one after another, with repeats.

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
