// Partial sums of another width in the search of fused mappings. Pure functions.
#pragma once

#include <cstdint>
#include <vector>

#include "arch/architecture.hpp"
#include "fusion/machine/machine.hpp"
#include "workload/cascade/cascade.hpp"
#include "workload/words.hpp"

namespace tilewright::fusion {

/// By operand of an einsum: bits of its partial sums; 0: as many as of final ones, or nothing is summed. `partial`: by
/// tensor of the cascade.
PartialBits sums_of(const Cascade& cascade, int einsum, const PartialBits& partial);

/// in_units(), with units of which partial sums are multiples, too.
Machine in_units(const Machine& machine, const Cascade& cascade, const PartialBits& partial);

/// By tensor of the cascade: bits of its words where a group makes it in the buffer, if no leaf can finish its sums
/// below; 0: some leaf may. Known of units with a register of one word: a sum that the array does not add up at once
/// has no room there.
std::vector<std::int64_t> bits_of_sums(const Cascade& cascade, const Architecture& architecture,
                                       const PartialBits& partial);

}  // namespace tilewright::fusion
