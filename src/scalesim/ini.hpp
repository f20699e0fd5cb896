// Files of sections, keys and values with places, as in Python's configparser; shared parts of SCALE-Sim's readers.
// Private to this room.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"

namespace tilewright::scalesim {

/// `key: value` or `key = value` below `[section]`.
struct IniEntry {
    std::string section;
    std::string key;
    std::string value;
    Location key_where;
    Location value_where;
};

/// Lines beginning with '#' or ';' are comments. Throws InputError for a key outside of sections or without a value,
/// and for indented lines, configparser's continuation.
std::vector<IniEntry> read_ini(std::string_view text, const std::string& file);

/// "10, 20" -> "10", "20"
std::vector<std::string> split_list(std::string_view text);
std::string_view trimmed(std::string_view text);
std::string_view line_of(std::string_view text, int number);
/// In quotes if YAML needs them.
std::string yaml_name(const std::string& name);

using Fail = std::function<void(ErrorCode, const std::string&)>;
/// An integer from `least` to 2^31 - 1; `fail` throws.
std::int64_t whole_number(std::string_view text, std::int64_t least, const std::string& what, const Fail& fail);

}  // namespace tilewright::scalesim
