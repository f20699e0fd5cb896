// SPDX-License-Identifier: Apache-2.0
// Machine: an architecture by name or from Timeloop's files, with what these demand of mappings.
//
//     const Machine machine = Machine::named("eyeriss");
//     const LayerAnswer answer = map_layer(layer_problem(conv2d(64, 64, 56, 3), machine));
//     std::cout << mapping_yaml(*answer.mapping, answer.einsum, machine.architecture());
//
// Thread-safe: immutable, and cheap to copy. Throws InputError at the offending place of a file.
#pragma once

#include "run/machine.hpp"
