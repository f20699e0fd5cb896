// Word widths of a scheduled layer, and its tiles' bytes.
#pragma once

#include <cstdint>

#include "schedule/problem/machine.hpp"
#include "workload/einsum.hpp"
#include "workload/words.hpp"

namespace tilewright::schedule {

/// The layer's, or else the machine's.
WordBits word_bits(const MultiNpu& machine, const TileShape& layer);

/// Widths of a convolution's tensors, with the machine's for missing ones (partial sums then at least as wide as
/// outputs); none if no tensor has any.
WordBits word_bits(const MultiNpu& machine, const Einsum& einsum, const PartialBits& partial);

/// Packed words in whole bytes. Throws OverflowError.
std::int64_t packed_bytes(std::int64_t words, std::int64_t bits);

}  // namespace tilewright::schedule
