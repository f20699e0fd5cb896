// What share of an energy rests on numbers that no maker publishes (arch/estimation/dram.hpp).
#pragma once

#include <string>
#include <vector>

#include "report/report.hpp"

namespace tilewright {

/// A sentence for each memory whose energy is assumed within a range: its share of the energy, and what the whole comes
/// to at either end. None where no layer has an evaluation.
std::vector<std::string> energy_range_notes(const report::Report& report);

}  // namespace tilewright
