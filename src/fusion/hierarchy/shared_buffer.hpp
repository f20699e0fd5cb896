// Machines with memories of any kind inside and around the one in which shared tensors lie.
//
// That one, the shared buffer, is the outermost memory of one instance and limited size, or where there is none the
// outermost of one instance inside the first. Further in may be scratchpads, registers, arrays, links and leakage: they
// are matters of a leaf, whose mappings the optimal mapper finds.
#pragma once

#include <cstdint>
#include <string>

#include "arch/architecture.hpp"
#include "fusion/machine/machine.hpp"

namespace tilewright::fusion {

/// Index of the shared buffer; -1: there is none.
int shared_buffer(const Architecture& architecture);

/// Words of it that may be used; of an unlimited one more than any tensors have.
std::int64_t buffer_words(const Architecture& architecture);

/// Why no fused mappings are searched on such a machine, in words; "" when they are.
std::string problem_with_hierarchy(const Architecture& architecture);

/// The two memories that shared tensors go through, as no more than what they cost: without links, addresses and
/// leakage, parts of rows for parts of their energy. Of the rest it knows nothing. Requires problem_with_hierarchy() to
/// be "".
Machine machine_around(const Architecture& architecture);

}  // namespace tilewright::fusion
