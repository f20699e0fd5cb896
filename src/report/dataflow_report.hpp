// Data-centric dataflows for people and machines: a row per layer, what is illegal, why there is no answer.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "account/maestro/printed.hpp"
#include "dataflow/cost.hpp"

namespace tilewright::report {

struct DataflowLayer {
    std::string name;
    dataflow::LayerCost cost;
};

struct DataflowReport {
    std::string network;
    dataflow::Hardware hardware;
    std::vector<DataflowLayer> layers;
    std::vector<std::string> notes;
};

/// How the dataflows came about, where they were searched.
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

/// The public tool's numbers.
std::string tool_text(const maestro::ToolResult& result, const maestro::ToolHardware& hardware,
                      const DataflowSearchReport* search = nullptr);
std::string tool_json(const maestro::ToolResult& result, const maestro::ToolHardware& hardware,
                      const DataflowSearchReport* search = nullptr);

/// Both beside each other. Requires as many layers in both.
std::string dataflow_comparison_text(const DataflowReport& report, const maestro::ToolResult& tool,
                                     const maestro::ToolHardware& hardware);

}  // namespace tilewright::report
