// The one list of mappers by name. Above all searches, which know mapper.hpp alone.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "mapper/mapper.hpp"

namespace tilewright {

/// The mapper of that name, or nothing.
std::unique_ptr<Mapper> make_mapper(std::string_view name);
std::vector<std::string> mapper_names();

}  // namespace tilewright
