// Energy and area of components whose numbers were not given, from published tables and formulas. Every number it fills
// in names its source.
#pragma once

#include <string>
#include <vector>

#include "arch/architecture.hpp"

namespace tilewright {

enum class Estimator {
    tables,  ///< SRAM and register files by log-log interpolation over CACTI 7 points, DRAM by type, MACs by width
    timeloop_pat,  ///< Timeloop's built-in fallback (docs/estimation.md): what it uses when there is no ERT
};

/// Fills in every energy and area of `architecture` whose source is empty; leaves the others alone.
/// Returns what a user should know ("65 nm lies between the tabulated ...", "outside the table: extrapolated"), one
/// sentence each.
std::vector<std::string> estimate(Architecture& architecture, Estimator estimator = Estimator::tables);

/// Whether a sentence of estimate() says that an access takes longer than a cycle: no latency is right without it.
bool is_slow_access(const std::string& note);

}  // namespace tilewright
