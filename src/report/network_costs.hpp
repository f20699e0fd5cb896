// Energy of a whole run: by memory and tensor, all layers with their repeats; and savings of sparse optimisations.
#pragma once

#include <string>

#include "report/report.hpp"

namespace tilewright::report {

/// A table with a row per memory (and the compute units), a column per tensor, their sums and shares; costs of no
/// tensor (leakage, computing) count in the sums. The wires below a memory count as its own. "" without an evaluation.
std::string energy_by_memory_text(const Report& report);

/// Savings of a layer's energy and cycles; "" if unknown.
std::string saved_text(const LayerResult& layer, const Architecture& architecture);
/// The same of a whole run, with repeats; "" if unknown for all layers.
std::string saved_text(const Report& report);

}  // namespace tilewright::report
