// Cascades for people and programs (`tilewright show`).
#pragma once

#include <string>

#include "workload/cascade/cascade.hpp"

namespace tilewright::report {

/// Bits of the words of tensors that do not say, where bytes are shown without a machine.
inline constexpr std::int64_t kShownWordBits = 16;

/// A table of einsums (what kind, how often, what they compute), one of tensors (role, shape, bytes, who writes and
/// reads them), sums by role, and what is not covered. Throws OverflowError.
std::string cascade_text(const Cascade& cascade);

/// The same as a JSON document: {"schema": "tilewright-show/1", "cascade": {...}}.
std::string cascade_json(const Cascade& cascade);

/// Bytes of a tensor, rounded up. Throws OverflowError.
std::int64_t bytes_of(const CascadeTensor& tensor);

/// "Not covered (3 operators that compute)" with bytes and operations; "" where everything is.
std::string not_covered_text(const Cascade& cascade);

}  // namespace tilewright::report
