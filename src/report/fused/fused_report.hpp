// What a fused mapping costs, for people and machines (`tilewright evaluate --fused-mapping`).
#pragma once

#include <string>
#include <vector>

#include "mapping/fused/fused_mapping.hpp"
#include "model/fused/evaluation.hpp"
#include "report/report.hpp"

namespace tilewright::report {

struct FusedReport {
    Provenance provenance;
    Architecture architecture;
    Cascade cascade;
    FusedMapping mapping;
    fused::Evaluation evaluation;
    std::vector<std::string> notes;
};

/// Energy and cycles, memories with their peaks, words by tensor and memory, leaves, shared stores, the mapping.
std::string fused_text(const FusedReport& report);

/// "tilewright-fused/1"
std::string fused_json(const FusedReport& report);

}  // namespace tilewright::report
