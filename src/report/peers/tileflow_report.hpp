// TileFlow's accounting of a mapping, in text and JSON ("tilewright-tileflow/1").
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "report/report.hpp"
#include "timeloop/tileflow/account.hpp"

namespace tilewright::report {

struct TileflowTensor {
    std::string name;
    tileflow::TensorCounts words;  ///< of one instance
};

struct TileflowMemory {
    tileflow::MemoryCounts counts;
    std::vector<TileflowTensor> tensors;
};

struct TileflowReport {
    Provenance provenance;
    std::string machine;
    std::int64_t cycles = 0;
    double operations = 0.0;
    std::vector<TileflowMemory> memories;  ///< outermost first
};

TileflowReport tileflow_report(const Provenance& provenance, const std::string& machine,
                               const tileflow::Problem& problem, const tileflow::Counts& counts);

/// Cycles, operations, and the words of each tensor in each memory moving it.
std::string tileflow_text(const TileflowReport& report);
std::string tileflow_json(const TileflowReport& report);

}  // namespace tilewright::report
