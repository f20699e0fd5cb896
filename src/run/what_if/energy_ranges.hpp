// Share of an energy that rests on unpublished numbers (arch/estimation/dram.hpp).
#pragma once

#include <string>
#include <vector>

#include "report/report.hpp"

namespace tilewright {

/// A sentence for each memory with an energy assumed within a range: its share of the energy, and the total at either
/// end. None without an evaluation.
std::vector<std::string> energy_range_notes(const report::Report& report);

}  // namespace tilewright
