// DRAM energy by type (data/tables/dram.csv), interface included. Leakage and refresh are not modelled.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright {

struct DramEstimate {
    std::string type;
    double pj_per_bit = 0.0;
    std::string source;  ///< "LPDDR4, 8 pJ/bit, Accelergy's CACTI plug-in"
    /// Range of an unpublished energy; pj_per_bit is then assumed.
    std::optional<double> low = std::nullopt;
    std::optional<double> high = std::nullopt;
};

/// Empty for an unknown type. Case-insensitive.
std::optional<DramEstimate> estimate_dram(std::string_view type);

/// The ranged estimate behind a number of this source, if any.
std::optional<DramEstimate> range_behind(std::string_view source);

/// The default: the first row of the table, LPDDR4.
DramEstimate default_dram();

std::vector<std::string> dram_types();

}  // namespace tilewright
