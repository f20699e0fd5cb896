// Numbers of a section, each checked at its place.
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

/// Above 0 and at most `most`, else bad_value: a share of a data-sheet value.
double share_of_data_sheet(const yaml::Node& node, double most = 1.0);

/// Of an optional key: its value, or the default.
double number_or(const yaml::Node& map, std::string_view key, double otherwise);
/// The same for a non-zero rate.
double rate_or(const yaml::Node& map, std::string_view key, double otherwise);
std::int64_t count_or(const yaml::Node& map, std::string_view key, std::int64_t otherwise);

/// The level named by a key. Throws unknown_level with the nearest name.
int level_named(const yaml::Node& name, const Architecture& architecture);

/// Bytes per microsecond into one memory instance from outside (its writes), or out of it (its reads). Throws bad_value
/// at `place` without such a bandwidth.
double written_bytes_per_us(const Memory& memory, const Architecture& architecture, const yaml::Node& place);
double read_bytes_per_us(const Memory& memory, const Architecture& architecture, const yaml::Node& place);

}  // namespace tilewright::silicon
