// Uneven mappings: nests with the tensors of one memory stored at different places.
//
//     Store DRAM {W, I, O}
//       Loop K 4
//         Store Buffer {O}
//           Loop C 8
//             Store Buffer {W, I}        <- the tile of O spans all of C, those of W and I do not
//               Loop P 7 spatial X
//
// Rules: the outermost memory is stored at the top; every memory has a store, even if it keeps nothing; each tensor is
// stored in the machine's order; a spatial loop stands below all stores of its memory and above all those inside, and
// no temporal loop follows it before the next store. An even mapping has one store per memory, in order.
//
// A tensor's traffic depends on the loops and its own stores alone. A bypassed memory stands, for this tensor, at its
// innermost store, but no further in than the innermost stores of the other bypassed memories inside it, and always
// between the surrounding memories that keep it (docs/model.md, rule 8).
#pragma once

#include <string>
#include <vector>

#include "mapping/mapping.hpp"

namespace tilewright {

/// The broken rule, or "". Requires that memories and tensors exist.
std::string uneven_problem(const Mapping& mapping, const Architecture& architecture);

/// The loops by memory, outermost first; requires uneven_problem() to be "". Temporal loops belong to the innermost
/// memory with all its stores outside them, spatial ones to the memory of their fan-out.
std::vector<MappingLevel> owned_levels(const Mapping& mapping, int memory_count);

/// By memory: index of its node for a tensor. Requires uneven_problem() to be "".
std::vector<int> store_positions(const Mapping& mapping, int memory_count, int tensor);

}  // namespace tilewright
