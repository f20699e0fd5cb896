// Variables of Jinja templates, as options give them.
#pragma once

#include <string>

#include "explore/space.hpp"
#include "inputs/inputs.hpp"
#include "yaml/jinja/jinja.hpp"

namespace tilewright::cli {

/// One "NAME=VALUE" of --set. Throws InputError (usage) for several values, which only `explore` takes.
explore::Knob setting_of(const std::string& text, const std::string& verb);

/// What --jinja NAME=VALUE and --set jinja.NAME=VALUE say, which mean the same.
jinja::Settings template_settings(const InputOptions& options, const std::string& verb);

}  // namespace tilewright::cli
