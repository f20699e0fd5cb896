// Cascades for people and programs (`tilewright show`).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "workload/cascade/cascade.hpp"

namespace tilewright::report {

/// Default word width for bytes shown without a machine.
inline constexpr std::int64_t kShownWordBits = 16;

/// A table of einsums (kind, repeats, operations), one of tensors (role, shape, bytes, writers and readers), sums by
/// role, and the operators not covered. Throws OverflowError.
std::string cascade_text(const Cascade& cascade);

/// The same as a JSON document: {"schema": "tilewright-show/1", "cascade": {...}}.
std::string cascade_json(const Cascade& cascade);

/// Bytes of a tensor, rounded up. Throws OverflowError.
std::int64_t bytes_of(const CascadeTensor& tensor);

/// "Not covered (3 operators that compute)" with bytes and operations; or "".
std::string not_covered_text(const Cascade& cascade);

// Sums over a cascade, with repeats.

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
