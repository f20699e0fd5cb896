// The one list of mappers by name. Above all searches: they know mapper.hpp alone.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "mapper/mapper.hpp"

namespace tilewright {

/// Null for an unknown name.
std::unique_ptr<Mapper> make_mapper(std::string_view name);
std::vector<std::string> mapper_names();

}  // namespace tilewright
