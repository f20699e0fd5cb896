// Names as YAML scalars.
#pragma once

#include <string>

namespace tilewright::timeloop {

/// Plain where every YAML reader takes it for text, in double quotes otherwise.
std::string yaml_text(const std::string& text);

}  // namespace tilewright::timeloop
