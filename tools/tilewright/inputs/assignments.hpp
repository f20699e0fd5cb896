// NAME=EXTENT, as --dim and --extents take it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "explore/space.hpp"
#include "inputs/inputs.hpp"
#include "yaml/jinja/jinja.hpp"

namespace tilewright::cli {

/// "n=1" -> ("n", 1). Throws InputError(usage), naming the option, for anything else.
std::pair<std::string, std::int64_t> assignment(const std::string& verb, const std::string& option,
                                                const std::string& text);

/// The same of several, every name once.
std::map<std::string, std::int64_t> assignments(const std::string& verb, const std::string& option,
                                                const std::vector<std::string>& texts);

// Variables of Jinja templates, as options give them.

/// One "NAME=VALUE" of --set. Throws InputError (usage) for several values, which only `explore` takes.
explore::Knob setting_of(const std::string& text, const std::string& verb);

/// What --jinja NAME=VALUE and --set jinja.NAME=VALUE say, which mean the same.
jinja::Settings template_settings(const InputOptions& options, const std::string& verb);

}  // namespace tilewright::cli
