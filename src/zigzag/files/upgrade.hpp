// Older and related spellings of ZigZag's files converted to the current ones: hardware from before 2025 (`r_bw`,
// `w_bw`, `r_port`, ports as lists, `multiplier_energy`), Stream cores (`type`), Stream's mapping keys.
#pragma once

#include <string>
#include <vector>

#include "base/notes.hpp"
#include "yaml/node.hpp"

namespace tilewright::zigzag {

/// `root` in the readers' spelling; data without effect on one core are left out with a note. A foreign file stays
/// unchanged. Throws InputError for an unknown port.
///
/// A memory with `r_port`, `w_port` and `rw_port` gets ports of those names (`r_port_1`, ..) with bandwidth `r_bw` and
/// `w_bw` (the smaller for both directions) and granularity `min_r_granularity`, `min_w_granularity`; the i-th entry of
/// its port list is for the i-th operand.
yaml::Node upgraded(const yaml::Node& root, Notes& notes);

}  // namespace tilewright::zigzag
