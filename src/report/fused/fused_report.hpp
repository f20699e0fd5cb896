// Costs of a fused mapping, for people and machines (`tilewright evaluate --fused-mapping`).
//
// The fields of the JSON of `tilewright evaluate --fused-mapping` (yaml/archive.hpp). Internal to report/.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mapping/fused/fused_mapping.hpp"
#include "mapping/fused/text.hpp"
#include "mapping/fused/tree.hpp"
#include "model/fused/evaluation.hpp"
#include "report/document.hpp"
#include "report/fields.hpp"
#include "report/report.hpp"

namespace tilewright::report {

/// Of a tree with its open leaves mapped (`tilewright map --fuse --fused-mapping`).
struct FilledLeaves {
    std::string objective;
    double value = 0.0;   ///< pJ, cycles or pJ * cycles
    double bound = 0.0;   ///< lower bound of any mappings of these leaves
    bool proven = false;  ///< these attain it
    std::int64_t leaves = 0;
    std::int64_t boxes = 0;  ///< sizes of their boxes
};

struct FusedReport {
    Provenance provenance;
    Architecture architecture;
    Cascade cascade;
    FusedMapping mapping;
    fused::Evaluation evaluation;
    std::optional<FilledLeaves> filled = std::nullopt;
    std::vector<std::string> notes;
};

/// Energy and cycles, memories with their peaks, words by tensor and memory, leaves, shared stores, the mapping.
std::string fused_text(const FusedReport& report);

/// "tilewright-fused/1"
std::string fused_json(const FusedReport& report);

}  // namespace tilewright::report

namespace tilewright::document {

struct FusedTensor {
    std::string name;
    fused::TensorCost of;
};
struct FusedMemory {
    fused::MemoryCost of;
    std::optional<std::int64_t> usable_words;
    std::optional<std::string> peak_leaf;
    std::vector<FusedTensor> tensors;
};
struct FusedLeaf {
    std::string einsum;
    fused::LeafCost of;
};
struct FusedStore {
    std::string tensor;
    std::string memory;
    fused::StoreCost of;
};

struct Fused {
    report::Provenance provenance;
    std::string architecture;
    std::string cascade;
    fused::Evaluation of;
    std::optional<report::FilledLeaves> filled;
    std::vector<FusedMemory> memories;
    std::vector<FusedLeaf> leaves;
    std::vector<FusedStore> stores;
    std::string mapping;
    std::vector<std::string> notes;
};

}  // namespace tilewright::document
