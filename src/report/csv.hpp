// Costs for spreadsheets: one tidy row per layer, memory, tensor and action.
//
// Every row has the costs of one run of the layer (multiply by `repeats` for all runs) in its action's columns: over
// the rows of a layer, energy_pj sums to the layer's energy, cycles to its latency, operations to its
// multiply-accumulates.
//
//     network,architecture,accounting,layer,repeats,memory,tensor,action,words,operations,energy_pj,cycles
//
// Actions: read, fill, update (words at a memory; over all instances), address (words: address generations), link
// (words sent on the wires below the memory), leak, compute, latency; no_mapping for a layer without an evaluation.
// ZigZag's own reports have ZigZag's four directions instead (rd_out_to_low, ...). docs/reports.md has an example.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/parts/table.hpp"
#include "report/report.hpp"
#include "report/zigzag.hpp"

namespace tilewright::report {

/// Cells of one row of a layer, with names.
struct CostRow {
    /// Or the compute units, or the vector unit; of `latency` its bound, as built its largest part; "" of `no_mapping`.
    std::string memory = {};
    std::string tensor = {};
    std::string action = {};
    std::optional<double> words = {};
    std::optional<double> operations = {};
    std::optional<double> energy_pj = {};
    std::optional<double> cycles = {};
};

std::vector<CostRow> cost_rows(const LayerResult& layer, const Architecture& architecture);

std::string costs_csv(const Report& report);
std::string costs_csv(const ZigzagReport& report);

/// The report's first layer under each accounting.
std::string costs_csv(const Report& report, const std::vector<NamedEvaluation>& evaluations);

}  // namespace tilewright::report
