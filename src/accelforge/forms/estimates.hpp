// Energies that an AccelForge machine leaves to its component library, from our own tables.
#pragma once

#include "accelforge/files/machine.hpp"
#include "base/notes.hpp"

namespace tilewright::accelforge {

/// `given`, and for what neither the file nor `given` says: energies, leakage and areas of SRAMs and register files by
/// their size and bits per action, of DRAMs by type, of integer multiplier-accumulators by their widths
/// (arch/estimation/estimate.hpp). A note names each component and the table. Throughputs, and other classes, stay
/// unknown. `root`: a loaded tree; sizes are those that `einsum` sees.
Figures with_estimates(const yaml::Node& root, const EinsumSpec& einsum, const Figures& given, Notes& notes);

}  // namespace tilewright::accelforge
