// SPDX-License-Identifier: Apache-2.0
// check(): is a mapping legal on a machine? And if not: which memory, by how many words, which loop, which axis.
//
//     for (const Violation& violation : check(einsum, architecture, mapping)) std::cout << violation.message << '\n';
//
// Thread-safe: pure. Throws OverflowError where a tile has more than 2^63 words.
#pragma once

#include "mapping/validity.hpp"
