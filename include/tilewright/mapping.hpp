// SPDX-License-Identifier: Apache-2.0
// Mapping: an ordered nest of loops and stores, outermost first, even or uneven; and that nest as text.
//
//     const Mapping mapping = mapping_of({{TensorSet::all(3), {{0, 4, 4}, {1, 4, 4}, {2, 4, 4}}, {}}});
//     std::cout << loop_nest_text(einsum, architecture, mapping);
//
// Loops name dimensions and stores memories by their index. Thread-safe: values and pure functions. Whether a mapping
// is legal is for validity.hpp to say; mapping_yaml() in machine.hpp writes one as a file.
#pragma once

#include "mapping/mapping.hpp"
#include "mapping/text.hpp"
