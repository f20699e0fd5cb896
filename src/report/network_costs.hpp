// Where the energy of a whole run goes: by memory and tensor, all layers together, each as often as it runs; and what
// is saved of it by what a machine does about zeros.
#pragma once

#include <string>

#include "report/report.hpp"

namespace tilewright::report {

/// A table with a row per memory (and the compute units), a column per tensor, their sums and shares; what belongs to
/// no tensor (leakage, computing) counts in the sums. The wires below a memory count as its own. "" without an
/// evaluation.
std::string energy_by_memory_text(const Report& report);

/// What is saved of a layer's energy and cycles; "" where that is not known.
std::string saved_text(const LayerResult& layer, const Architecture& architecture);
/// The same of a whole run, each layer as often as it runs; "" where it is known of none.
std::string saved_text(const Report& report);

}  // namespace tilewright::report
