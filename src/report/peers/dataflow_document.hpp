// The documents of data-centric dataflows ("tilewright-dataflow") as values, and their fields (yaml/archive.hpp):
// written, read back for pictures, and the source of schemas/dataflow-1.schema.json. Internal to report/.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "report/peers/dataflow_report.hpp"
#include "yaml/archive.hpp"

namespace tilewright::document {

struct DataflowFinding {
    dataflow::Condition condition = dataflow::Condition::bound;
    std::int64_t level = 0;
    std::string text;
    std::string file;
    std::int64_t line = 0;
};

struct DataflowEnergy {
    dataflow::TableEnergy of;
    std::vector<std::string> sources;
};

struct DataflowTensor {
    std::string tensor;
    double read_words = 0.0;
    double write_words = 0.0;
    double energy_pj = 0.0;
};

struct DataflowMemory {
    std::string name;
    std::vector<DataflowTensor> tensors;
};

struct DataflowCosts {
    dataflow::CountedBy counted_by = dataflow::CountedBy::closed_forms;
    std::int64_t operations = 0;
    std::int64_t runtime_cycles = 0;
    double utilization = 0.0;
    double energy_operations = 0.0;
    DataflowEnergy energy;
    std::vector<DataflowMemory> memories;
    std::int64_t l1_bytes = 0;
    std::int64_t l2_bytes = 0;
    std::vector<dataflow::LevelCounts> levels;
};

struct DataflowLayer {
    std::string name;
    std::int64_t repeats = 1;
    std::int64_t operations_needed = 0;
    std::vector<std::string> failures;
    std::vector<DataflowFinding> findings;
    std::optional<DataflowCosts> costs;  ///< nothing: reasons in `failures`
    std::optional<report::SearchedDataflow> search;
};

/// By the exact analysis.
struct Dataflows {
    std::string network;
    std::string machine;
    std::int64_t units = 0;
    std::vector<DataflowLayer> layers;
    report::DataflowTotals totals;
    std::vector<std::string> notes;
    std::optional<report::DataflowSearchReport> search;
};

/// The public tool's numbers of a layer.
struct ToolLayer {
    std::string name;
    std::int64_t operations = 0;
    std::int64_t runtime_cycles = 0;
    std::array<maestro::TensorCounts, maestro::kTensors> tensors;
    maestro::PrintedLayer printed;
    std::optional<report::SearchedDataflow> search;
};

/// By the public tool.
struct ToolDataflows {
    std::int64_t units = 0;
    std::vector<ToolLayer> layers;
    report::ToolTotals totals;
    std::vector<std::string> warnings;
    std::optional<report::DataflowSearchReport> search;
};

}  // namespace tilewright::document
