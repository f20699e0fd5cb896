// Forms of a rule file: texts with {expression} in them. Internal to files/.
#pragma once

#include <vector>

#include "tiles/files/read_values.hpp"
#include "tiles/rules/rules.hpp"

namespace tilewright::tiles {

/// `node`: a map of names and texts. "{{" and "}}" are braces. What a text does not say of a point is kept by name.
std::vector<Form> read_forms(const yaml::Node& node, const Rules& rules, const Names& names);

}  // namespace tilewright::tiles
