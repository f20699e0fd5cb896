// The exact cost model: what a mapping does to every memory and link, by closed forms.
//
// Counting rules (docs/model.md derives them): a memory's tile of a tensor is the bounding
// box of what the loops inside it touch. Whenever a loop outside moves on, an instance is sent the words of its new
// tile that its last tile did not hold (all of them when the direction of movement changed). Copies of the same words
// to several instances below one parent are one access (multicast); results that meet on the way out are one access
// (reduction). The innermost memory is accessed once per multiply-accumulate and distinct operand. A result's first
// arrival is not preceded by a read. oracle/ walks every iteration with these rules and is the judge.
#pragma once

#include "arch/architecture.hpp"
#include "base/stop.hpp"
#include "mapping/mapping.hpp"
#include "model/evaluation.hpp"
#include "workload/einsum.hpp"

namespace tilewright {

/// Requires check(einsum, architecture, mapping) to be empty and the mapping to carry no accounting options
/// (std::invalid_argument otherwise). Throws OverflowError when a count leaves 64 bits. Pure; thread-safe. Mappings
/// with remainders over many thousands of instances may take minutes: where `stop` is given and requested, Stopped is
/// thrown. `resumed`: results whose words hold partial sums before the run begins, so that no arrival is a first one.
Evaluation evaluate(const Einsum& einsum, const Architecture& architecture, const Mapping& mapping,
                    const StopSource* stop = nullptr, TensorSet resumed = {});

}  // namespace tilewright
