#include "inputs/assignments.hpp"

#include <fmt/format.h>
#include <charconv>
#include <filesystem>

#include "output/output.hpp"
#include "run/explore/design_knobs.hpp"

namespace tilewright::cli {

std::pair<std::string, std::int64_t> assignment(const std::string& verb, const std::string& option,
                                                const std::string& text) {
    const std::size_t equals = text.find('=');
    std::int64_t value = 0;
    const char* end = text.data() + text.size();
    const char* begin = equals == std::string::npos ? end : text.data() + equals + 1;
    const auto [stopped, error] = std::from_chars(begin, end, value);
    if (equals == 0 || begin == end || error != std::errc{} || stopped != end || value < 1)
        fail_usage(verb, fmt::format("{} takes NAME=EXTENT with an extent of at least 1, found '{}'", option, text));
    return {text.substr(0, equals), value};
}

std::map<std::string, std::int64_t> assignments(const std::string& verb, const std::string& option,
                                                const std::vector<std::string>& texts) {
    std::map<std::string, std::int64_t> all;
    for (const std::string& text : texts) {
        auto one = assignment(verb, option, text);
        if (all.contains(one.first)) fail_usage(verb, fmt::format("{} gives '{}' twice", option, one.first));
        all.insert(std::move(one));
    }
    return all;
}

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
