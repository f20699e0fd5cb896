// Timeloop's printed mapping (timeloop-mapper.map.txt) as an input.
//
//     DRAM [ Weights:4608 Inputs:4096 Outputs:6272 ]
//     ----------------------------------------------
//     | for K in [0:4)
//
// Each level lists its kept tensors, followed by its loops, outermost first; consecutive levels without loops between
// them share the last one's. The text is rewritten as a section `mapping`, directive by directive.
#pragma once

#include <string>
#include <string_view>

#include "yaml/node.hpp"

namespace tilewright::timeloop {

/// Detects a level followed by a line of dashes, whatever the file's name.
bool is_map_text(std::string_view text);

/// The same as YAML, every directive with the place of its level. Throws InputError(syntax) at an unexpected line.
yaml::Source map_text_as_yaml(std::string_view text, const std::string& file);

}  // namespace tilewright::timeloop
