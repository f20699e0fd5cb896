// The fields of the JSON of `tilewright evaluate --fused-mapping` (yaml/archive.hpp). Internal to report/.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mapping/fused/text.hpp"
#include "mapping/fused/tree.hpp"
#include "report/document.hpp"
#include "report/fields.hpp"
#include "report/fused/fused_report.hpp"

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
