// Data-centric dataflows for people and machines: a row per layer, what is illegal, why there is no answer.
#pragma once

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

/// The exact analysis: counts, buffers, energy; then the findings and failures.
std::string dataflow_text(const DataflowReport& report);
/// The same as one JSON document, with every count of every level.
std::string dataflow_json(const DataflowReport& report);

/// The public tool's numbers.
std::string tool_text(const maestro::ToolResult& result, const maestro::ToolHardware& hardware);
std::string tool_json(const maestro::ToolResult& result, const maestro::ToolHardware& hardware);

/// Both beside each other. Requires as many layers in both.
std::string dataflow_comparison_text(const DataflowReport& report, const maestro::ToolResult& tool,
                                     const maestro::ToolHardware& hardware);

}  // namespace tilewright::report
