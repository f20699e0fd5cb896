// Words that a leaf brings at least, however it cuts its box.
#pragma once

#include <cstdint>
#include <vector>

#include "workload/einsum.hpp"

namespace tilewright::fusion {

/// Words of an operand that a box touches: no tiling of it moves fewer, where windows step over some.
double touched_words(const Tensor& tensor, const std::vector<std::int64_t>& extents);

}  // namespace tilewright::fusion
