// AccelForge's machines and workloads as ours: an Architecture, a Cascade, and a machine's `tensors` and `reuse`
// demands as Constraints. docs/coming-from-accelforge.md lists the differences; an omission becomes a note, a silent
// change of cost is refused.
#pragma once

#include "accelforge/files/machine.hpp"
#include "accelforge/values/workload.hpp"
#include "arch/architecture.hpp"
#include "base/notes.hpp"
#include "mapspace/constraints.hpp"
#include "workload/cascade/cascade.hpp"
#include "yaml/node.hpp"

namespace tilewright::accelforge {

/// An einsum of ours for a machine's expressions: `input`, `weight` and `output` are its operands by place (or by the
/// zoo's names), words without a width have `bits`.
EinsumSpec spec_of(const Einsum& einsum, double bits);

/// The einsum for reading a machine of several: the first with three tensors, else the first.
const EinsumSpec& typical_einsum(const Workload& workload);

/// The memories above the compute unit of `einsum`, outermost first. A word has the bits of the einsum's widest tensor;
/// a cycle is the time of one operation. `root`: a loaded tree. A toll is a passage. Throws InputError: a toll that
/// takes time, or no compute unit for this einsum.
Architecture architecture_of(const yaml::Node& root, const EinsumSpec& einsum, const std::string& name,
                             const Figures& figures, Notes& notes);

/// The machine's demands on mappings of `einsum`: `keep` and `back`, forbidden tensors, and fan-outs restricted to
/// variables irrelevant to `reuse`. `architecture`: from architecture_of().
Constraints constraints_of(const yaml::Node& root, const Architecture& architecture, const Einsum& einsum, double bits);

/// Throws InputError for an einsum beyond our limits.
Cascade cascade_of(const Workload& workload, const std::string& name, Notes& notes);

// Energies from our own tables where an AccelForge machine relies on its component library.

/// `given`, with missing values filled in: energies, leakage and areas of SRAMs and register files by size and bits per
/// action, of DRAMs by type, of integer multiplier-accumulators by widths (arch/estimation/estimate.hpp). A note names
/// each component and the table. Throughputs, and other classes, stay unknown. `root`: a loaded tree; sizes are those
/// for `einsum`.
Figures with_estimates(const yaml::Node& root, const EinsumSpec& einsum, const Figures& given, Notes& notes);

}  // namespace tilewright::accelforge
