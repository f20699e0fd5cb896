// SPDX-License-Identifier: Apache-2.0
// Constraints: what a mapping may be. One LevelConstraint per memory, outermost first; none at all: everything.
//
//     Constraints constraints;
//     constraints.levels.resize(architecture.memories.size());
//     constraints.levels[1].must_keep = TensorSet::all(3);          // the buffer keeps all three tensors
//     constraints.min_parallelism = 0.5;                            // half of the units at least
//
// Dimensions and tensors are indices into the einsum. Thread-safe: values. FactorRule says which factors must divide.
#pragma once

#include "mapspace/constraints.hpp"
#include "mapspace/factors/factor_rule.hpp"
