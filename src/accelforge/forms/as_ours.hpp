// AccelForge's machines and workloads as ours: an Architecture, a Cascade, and what a machine's `tensors` and `reuse`
// ask of mappings as Constraints. docs/coming-from-accelforge.md has what is the same and what is not; what is not
// carried over becomes a note, and what would change a cost without a word is refused.
#pragma once

#include "accelforge/files/machine.hpp"
#include "accelforge/values/workload.hpp"
#include "arch/architecture.hpp"
#include "base/notes.hpp"
#include "mapspace/constraints.hpp"
#include "workload/cascade/cascade.hpp"
#include "yaml/node.hpp"

namespace tilewright::accelforge {

/// An einsum of ours as a machine's expressions see it: `input`, `weight` and `output` are its operands by their place
/// (or by the zoo's names), words without a width of their own have `bits`.
EinsumSpec spec_of(const Einsum& einsum, double bits);

/// The einsum that a machine is read for where it runs several: the first with three tensors, else the first.
const EinsumSpec& typical_einsum(const Workload& workload);

/// The memories above the compute unit that runs `einsum`, outermost first. A word has the bits of the einsum's widest
/// tensor; a cycle is the time of one operation. `root`: a loaded tree. Throws InputError: a toll
/// elsewhere than directly inside the outermost memory, or a machine without a compute unit for this einsum.
Architecture architecture_of(const yaml::Node& root, const EinsumSpec& einsum, const std::string& name,
                             const Figures& figures, Notes& notes);

/// What the machine demands of mappings of `einsum`: `keep` and `back`, what may not be kept, and fan-outs that only
/// variables irrelevant to `reuse` may use. `architecture`: that of architecture_of().
Constraints constraints_of(const yaml::Node& root, const Architecture& architecture, const Einsum& einsum, double bits);

/// Throws InputError where an einsum is larger than ours may be.
Cascade cascade_of(const Workload& workload, const std::string& name, Notes& notes);

}  // namespace tilewright::accelforge
