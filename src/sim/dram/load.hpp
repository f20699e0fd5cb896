// Memory devices from files (data/dram/*.yaml, embedded in the library, or a user's own in the same form).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/dram/device.hpp"

namespace tilewright::sim::dram {

/// InputError, located, on missing, unknown or impossible values.
Device parse_device(std::string_view text, const std::string& file);

/// "ddr4-2400" and the like, in any case.
std::optional<Device> device_named(std::string_view name);
std::vector<std::string> device_names();

}  // namespace tilewright::sim::dram
