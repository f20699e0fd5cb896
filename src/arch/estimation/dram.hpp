// DRAM energy by type (data/tables/dram.csv), interface included. Its leakage and refresh are not modelled.
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
    /// Of a type whose energy no maker publishes: between what it lies; pj_per_bit is assumed then.
    std::optional<double> low = std::nullopt;
    std::optional<double> high = std::nullopt;
};

/// Empty when the type is unknown. Case does not matter.
std::optional<DramEstimate> estimate_dram(std::string_view type);

/// The estimate with a range that a number of this source comes from; nothing: no such range is behind it.
std::optional<DramEstimate> range_behind(std::string_view source);

/// What is assumed when it is not said: the first row of the table, LPDDR4.
DramEstimate default_dram();

std::vector<std::string> dram_types();

}  // namespace tilewright
