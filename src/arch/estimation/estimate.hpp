// Missing energies and areas from published tables and formulas. Every number names its source.
#pragma once

#include <string>
#include <vector>

#include "arch/architecture.hpp"

namespace tilewright {

enum class Estimator {
    tables,  ///< SRAM and register files by log-log interpolation over CACTI 7 points, DRAM by type, MACs by width
    timeloop_pat,  ///< Timeloop's built-in fallback without an ERT (docs/estimation.md)
};

/// Fills in every energy and area of `architecture` with an empty source. Returns notes for the user ("65 nm lies
/// between the tabulated ...", "outside the table: extrapolated"), one sentence each.
std::vector<std::string> estimate(Architecture& architecture, Estimator estimator = Estimator::tables);

/// Whether a note of estimate() reports an access longer than a cycle, without which no latency is right.
bool is_slow_access(const std::string& note);

}  // namespace tilewright
