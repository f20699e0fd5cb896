// AccelForge's input files as one tree: Jinja templates are expanded, and files merge by top-level keys: arch,
// workload, mapping, renames, variables; config, mapper and model are skipped.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "yaml/jinja/jinja.hpp"
#include "yaml/node.hpp"

namespace tilewright::accelforge {

/// Whether a text (with unexpanded templates) is a file of AccelForge's.
bool is_accelforge(std::string_view text);

/// Throws InputError: a top-level key in two files, an unknown one, and errors of Jinja and YAML.
yaml::Node load(const std::vector<std::filesystem::path>& files, const jinja::Settings& settings = {});
yaml::Node load_text(std::string_view text, const std::string& file = "<text>", const jinja::Settings& settings = {});

}  // namespace tilewright::accelforge
