// Our names in AccelForge's syntax. Internal to forms/.
#pragma once

#include <string>
#include <vector>

#include "workload/einsum.hpp"

namespace tilewright::accelforge {

/// Letters, digits and '_' only, no name of a set, each once.
std::vector<std::string> tensor_names(const std::vector<std::string>& names);
/// By dimension: in small letters, each once.
std::vector<std::string> variable_names(const Einsum& einsum);
std::string plain_name(const std::string& name);

}  // namespace tilewright::accelforge
