// Energies from our own tables where an AccelForge machine relies on its component library.
#pragma once

#include "accelforge/files/machine.hpp"
#include "base/notes.hpp"

namespace tilewright::accelforge {

/// `given`, with missing values filled in: energies, leakage and areas of SRAMs and register files by size and bits per
/// action, of DRAMs by type, of integer multiplier-accumulators by widths (arch/estimation/estimate.hpp). A note names
/// each component and the table. Throughputs, and other classes, stay unknown. `root`: a loaded tree; sizes are those
/// for `einsum`.
Figures with_estimates(const yaml::Node& root, const EinsumSpec& einsum, const Figures& given, Notes& notes);

}  // namespace tilewright::accelforge
