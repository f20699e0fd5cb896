// Older and neighbouring spellings of ZigZag's files as the current ones: hardware from before 2025 (`r_bw`, `w_bw`,
// `r_port`, ports as lists, `multiplier_energy`), cores of Stream (`type`), mappings with keys of Stream.
#pragma once

#include <string>
#include <vector>

#include "base/notes.hpp"
#include "yaml/node.hpp"

namespace tilewright::zigzag {

/// `root` in the spelling that the readers know; what has no bearing on one core is left out with a note. A file that
/// is none of ZigZag's stays as it is. Throws InputError for a port that is not one of the memory's.
///
/// A memory with `r_port`, `w_port` and `rw_port` gets ports of those names (`r_port_1`, ..) with `r_bw` and `w_bw` as
/// their bandwidth (a port for both directions has the smaller one) and `min_r_granularity`, `min_w_granularity` as the
/// least; the i-th entry of its list of ports is for the i-th operand.
yaml::Node upgraded(const yaml::Node& root, Notes& notes);

}  // namespace tilewright::zigzag
