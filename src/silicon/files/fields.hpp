// Numbers of a section, each checked where it stands.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "arch/architecture.hpp"
#include "yaml/node.hpp"

namespace tilewright::silicon {

/// At least 0, else bad_value.
double not_negative(const yaml::Node& node);
/// Above 0, else bad_value.
double above_zero(const yaml::Node& node);

/// Above 0 and at most `most`, else bad_value: a share of what a data sheet says.
double share_of_data_sheet(const yaml::Node& node, double most = 1.0);

/// Of an optional key: its value, or the default.
double number_or(const yaml::Node& map, std::string_view key, double otherwise);
/// The same of what cannot be 0: a rate that there is.
double rate_or(const yaml::Node& map, std::string_view key, double otherwise);
std::int64_t count_or(const yaml::Node& map, std::string_view key, std::int64_t otherwise);

/// The level that a key names. Throws unknown_level with the nearest name.
int level_named(const yaml::Node& name, const Architecture& architecture);

/// Bytes per microsecond that one instance of a memory takes from outside (its writes) or gives (its reads). Throws
/// bad_value at `place` where the architecture gives no such bandwidth.
double written_bytes_per_us(const Memory& memory, const Architecture& architecture, const yaml::Node& place);
double read_bytes_per_us(const Memory& memory, const Architecture& architecture, const yaml::Node& place);

}  // namespace tilewright::silicon
