// The exact cost model: traffic of a mapping at every memory and link, in closed form.
//
// Counting rules (derived in docs/model.md): a memory's tile of a tensor is the bounding box of the inner loops'
// accesses. Whenever an outer loop moves on, an instance is sent the words of its new tile missing from its last one
// (all if the direction of movement changed). Copies of the same words to several instances below one parent are one
// access (multicast); results merging on the way out are one access (reduction). The innermost memory is accessed once
// per multiply-accumulate and distinct operand. A result's first arrival needs no read. Reference: oracle/ walks every
// iteration with these rules.
#pragma once

#include "arch/architecture.hpp"
#include "base/stop.hpp"
#include "mapping/mapping.hpp"
#include "model/evaluation.hpp"
#include "workload/einsum.hpp"

namespace tilewright {

/// Requires check(einsum, architecture, mapping) to be empty and no accounting options (std::invalid_argument
/// otherwise). Throws OverflowError beyond 64 bits. Pure; thread-safe. Remainders over many thousands of instances may
/// take minutes: throws Stopped once `stop`, if given, is requested. `resumed`: results with partial sums before the
/// run, without first arrivals.
Evaluation evaluate(const Einsum& einsum, const Architecture& architecture, const Mapping& mapping,
                    const StopSource* stop = nullptr, TensorSet resumed = {});

}  // namespace tilewright
