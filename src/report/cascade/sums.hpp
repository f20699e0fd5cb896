// Sums over a cascade, with repeats.
#pragma once

#include <cstdint>
#include <vector>

#include "workload/cascade/cascade.hpp"

namespace tilewright::report {

struct RoleSum {
    TensorRole role = TensorRole::input;
    std::int64_t tensors = 0;  ///< those of a block with its repeats, unless passed from one repeat to the next
    std::int64_t words = 0;
    std::int64_t bytes = 0;  ///< with kShownWordBits by default
};

/// One for each role that occurs. Throws OverflowError.
std::vector<RoleSum> sums_by_role(const Cascade& cascade);

/// Multiply-accumulates, or all other operations. Throws OverflowError.
std::int64_t operations_in(const Cascade& cascade, bool multiply_adds);

}  // namespace tilewright::report
