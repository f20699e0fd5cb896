#include "inputs/template_settings.hpp"

#include <filesystem>

#include "run/explore/design_knobs.hpp"

namespace tilewright::cli {
namespace {

// A value may name a file: its folder is one that the user gave.
void add(const std::string& given, const std::string& verb, jinja::Settings& settings) {
    const auto [name, value] = name_and_value(verb, "--jinja", "NAME=VALUE", given);
    settings.variables[name] = value;
    if (value.find('/') != std::string::npos) settings.folders.push_back(std::filesystem::path(value).parent_path());
}

}  // namespace

explore::Knob setting_of(const std::string& text, const std::string& verb) {
    explore::Knob knob = explore::parse_knob(text, {"--set " + text});
    if (knob.values.size() != 1)
        fail_usage(verb, "--set " + text + ": one value here; tilewright explore takes several");
    return knob;
}

jinja::Settings template_settings(const InputOptions& options, const std::string& verb) {
    jinja::Settings settings;
    settings.folders.emplace_back(".");
    settings.most_bytes = most_input_bytes(options.largest_input_mib, "");
    for (const std::string& given : options.jinja) add(given, verb, settings);
    for (const std::string& text : options.set) {
        if (!is_template_knob(text)) continue;
        const explore::Knob knob = setting_of(text, verb);
        add(template_setting(knob.name, knob.values.front()), verb, settings);
    }
    return settings;
}

}  // namespace tilewright::cli
