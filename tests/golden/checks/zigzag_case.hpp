// One recorded case of ZigZag: accelerator, layer, spatial and temporal mapping, and its numbers.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "differences.hpp"
#include "zigzag/accounting/zigzag.hpp"

namespace tilewright::golden {

/// The folders of cases in `folder`: itself when it holds a mapping.json and an accelerator.yaml, else its sub-folders
/// that do, by name.
std::vector<std::filesystem::path> zigzag_cases_in(const std::filesystem::path& folder);

struct ZigzagInputs {
    zigzag::Accelerator accelerator;
    zigzag::Layer layer;
    zigzag::ArrayUnrolling requested;
    bool requested_in_order = true;  ///< false: ZigZag drops some of the request from a set without order
    zigzag::ArrayUnrolling unrolling;
    std::vector<zigzag::TemporalLoop> order;  ///< innermost first
    zigzag::UnevenMapping mapping;
    bool allocated = false;  ///< the mapping is what the allocator makes of the order
    bool even = false;
};

/// Throws InputError, nlohmann::json::exception.
ZigzagInputs read_zigzag_inputs(const std::filesystem::path& folder);

/// A recorded unrolling. Dimensions that the layer does not have are dropped, as ZigZag does.
zigzag::ArrayUnrolling zigzag_unrolling_of(const nlohmann::json& recorded, const zigzag::Accelerator& accelerator,
                                           const zigzag::Layer& layer);

/// Every number of expected.json. Requires a result without refusal.
void compare_zigzag(const zigzag::Result& ours, const ZigzagInputs& inputs, const nlohmann::json& expected,
                    Differences& differences);

/// How the mapping came about: legal unrolling, spatial mapping, loop sizes, allocation.
void compare_zigzag_mapping(const ZigzagInputs& inputs, const nlohmann::json& mapping, Differences& differences);

/// Never throws for a bad case: what went wrong is among the differences.
Differences check_zigzag_case(const std::filesystem::path& folder);

}  // namespace tilewright::golden
