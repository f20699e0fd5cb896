// The mapping that Timeloop's mapper and model print (timeloop-mapper.map.txt), given back as an input.
//
//     DRAM [ Weights:4608 Inputs:4096 Outputs:6272 ]
//     ----------------------------------------------
//     | for K in [0:4)
//
// Each level lists what it keeps, and its loops follow, the outermost first; of levels without loops between them they
// are the last one's. The text is rewritten as a section `mapping`, directive by directive.
#pragma once

#include <string>
#include <string_view>

#include "yaml/node.hpp"

namespace tilewright::timeloop {

/// Whether a text begins with a level and a line of dashes, whatever its file is called.
bool is_map_text(std::string_view text);

/// The same as YAML, every directive with the place of its level. Throws InputError(syntax) at a line that is none of
/// such a text.
yaml::Source map_text_as_yaml(std::string_view text, const std::string& file);

}  // namespace tilewright::timeloop
