// Rules and machines by name: the files of data/tiles, which travel inside the library. Pure functions; thread-safe.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tiles/files/read_rules.hpp"

namespace tilewright::tiles {

std::vector<std::string> shipped_rules();
std::vector<std::string> shipped_machines();

/// The text of a shipped rule file; its places are "data/tiles/rules/<name>.yaml:line". Throws
/// InputError(unknown_name).
yaml::Node shipped_rule_file(std::string_view name);

/// Throws InputError(unknown_name) with the nearest name.
Machine shipped_machine(std::string_view name);

/// The machine of a document, on top of the shipped one that it is like.
Machine read_machine_on_shipped(const yaml::Node& document);

/// Of a shipped name; of a file, where it has a slash or ends in .yaml or .json. No machine for "".
Rules rules_named(const std::string& name);
Machine machine_named(const std::string& name);

}  // namespace tilewright::tiles
