// Costs for spreadsheets: one tidy row per layer, memory, tensor and action.
//
// Every row says what one run of the layer costs (multiply by `repeats` for all runs), and fills only the columns that
// its action has: summed over the rows of a layer, energy_pj is the layer's energy, cycles its latency and operations
// its multiply-accumulates.
//
//     network,architecture,accounting,layer,repeats,memory,tensor,action,words,operations,energy_pj,cycles
//
// Actions: read, fill, update (words at a memory; over all instances), address (words: address generations), link
// (words sent on the wires below the memory), leak, compute, latency; no_mapping for a layer without an evaluation.
// ZigZag's own reports have ZigZag's four directions instead (rd_out_to_low, ...). docs/reports.md has an example.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "report/parts/comparison.hpp"
#include "report/report.hpp"
#include "report/zigzag.hpp"

namespace tilewright::report {

/// What fills one row of a layer, names as they are.
struct CostRow {
    /// Or the compute units, or the vector unit; of `latency` what bounds it, as built what most of it goes into; "" of
    /// `no_mapping`.
    std::string memory = {};
    std::string tensor = {};
    std::string action = {};
    std::optional<double> words = {};
    std::optional<double> operations = {};
    std::optional<double> energy_pj = {};
    std::optional<double> cycles = {};
};

/// The rows of one layer of a report.
std::vector<CostRow> cost_rows(const LayerResult& layer, const Architecture& architecture);

std::string costs_csv(const Report& report);
std::string costs_csv(const ZigzagReport& report);

/// The report's first layer under each accounting.
std::string costs_csv(const Report& report, const std::vector<NamedEvaluation>& evaluations);

}  // namespace tilewright::report
