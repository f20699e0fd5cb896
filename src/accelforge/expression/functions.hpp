// The functions that expressions may call.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "accelforge/expression/value.hpp"

namespace tilewright::accelforge {

/// Nothing: no function of that name takes these values.
std::optional<Value> called(const std::string& function, const std::vector<Value>& arguments);

bool is_function(const std::string& name);

}  // namespace tilewright::accelforge
