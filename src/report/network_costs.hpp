// Where the energy of a whole run goes: by memory and tensor, all layers together, each as often as it runs.
#pragma once

#include <string>

#include "report/report.hpp"

namespace tilewright::report {

/// A table with a row per memory (and the compute units), a column per tensor, their sums and shares; what belongs to
/// no tensor (leakage, computing) counts in the sums. The wires below a memory count as its own. "" without an
/// evaluation.
std::string energy_by_memory_text(const Report& report);

}  // namespace tilewright::report
