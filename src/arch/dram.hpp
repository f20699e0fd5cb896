// DRAM energy by type (data/tables/dram.csv), interface included. Its leakage and refresh are not modelled.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright {

struct DramEstimate {
    double pj_per_bit = 0.0;
    std::string source;  ///< "LPDDR4, 8 pJ/bit, Accelergy's CACTI plug-in"
};

inline constexpr std::string_view kDefaultDram = "LPDDR4";

/// Empty when the type is unknown. Case does not matter.
std::optional<DramEstimate> estimate_dram(std::string_view type);

std::vector<std::string> dram_types();

}  // namespace tilewright
