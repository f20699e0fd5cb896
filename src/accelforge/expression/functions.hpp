// Functions of expressions.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "accelforge/expression/value.hpp"

namespace tilewright::accelforge {

/// Empty: no function of this name takes these values.
std::optional<Value> called(const std::string& function, const std::vector<Value>& arguments);

bool is_function(const std::string& name);

}  // namespace tilewright::accelforge
