// How wide the words of a scheduled layer are, and what tiles of them take.
#pragma once

#include <cstdint>

#include "schedule/problem/machine.hpp"
#include "workload/einsum.hpp"
#include "workload/words.hpp"

namespace tilewright::schedule {

/// Those of the layer, or else the machine's.
WordBits word_bits(const MultiNpu& machine, const TileShape& layer);

/// What the tensors of a convolution say, and the machine for those that say nothing (partial sums then are no narrower
/// than outputs); none where no tensor says anything.
WordBits word_bits(const MultiNpu& machine, const Einsum& einsum, const PartialBits& partial);

/// Words one after the other, in whole bytes. Throws OverflowError.
std::int64_t packed_bytes(std::int64_t words, std::int64_t bits);

}  // namespace tilewright::schedule
