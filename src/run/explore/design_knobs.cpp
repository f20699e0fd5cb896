#include "run/explore/design_knobs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdint>

#include "base/error.hpp"
#include "mapper/by_name/by_name.hpp"
#include "mapspace/factors/factor_rule.hpp"
#include "model/objective.hpp"

namespace tilewright {
namespace {

constexpr std::string_view kTemplate = "jinja.";

void refuse_unless(const std::string& value, const std::vector<std::string>& choices, const explore::Knob& knob) {
    if (std::find(choices.begin(), choices.end(), value) != choices.end()) return;
    throw InputError(ErrorCode::unknown_name, knob.where,
                     fmt::format("unknown {} '{}'; there are {}", knob.name, value, list_words(choices)));
}

void check_whole_number(const std::string& value, const explore::Knob& knob) {
    std::int64_t number = 0;
    const char* end = value.data() + value.size();
    const auto [stopped, error] = std::from_chars(value.data(), end, number);
    if (error != std::errc{} || stopped != end || number < 0)
        throw InputError(ErrorCode::bad_value, knob.where,
                         fmt::format("'{}' takes whole numbers of at least 0, found '{}'", knob.name, value));
}

// The words of an expression equal to `name`.
std::string with_value(const std::string& text, const std::string& name, const std::string& value, bool& found) {
    const auto is_word = [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.';
    };
    std::string out;
    for (std::size_t i = 0; i < text.size();) {
        std::size_t end = i;
        while (end < text.size() && is_word(text[end])) ++end;
        const std::string word = text.substr(i, end - i);
        if (word == name) {
            out += "(" + value + ")";
            found = true;
        } else {
            out += word.empty() ? text.substr(i, 1) : word;
        }
        i = std::max(end, i + 1);
    }
    return out;
}

bool mentions(const std::string& text, const std::string& name) {
    bool found = false;
    static_cast<void>(with_value(text, name, "", found));
    return found;
}

bool is_of_machine(const DesignKnobs& knobs, const std::string& name) {
    return std::find(knobs.variables.begin(), knobs.variables.end(), name) == knobs.variables.end() &&
           !is_network_knob(name) && !is_search_knob(name) && !is_template_knob(name);
}

}  // namespace

bool is_template_knob(const std::string& name) { return name.starts_with(kTemplate); }

std::string template_setting(const std::string& knob, const std::string& value) {
    return knob.substr(kTemplate.size()) + "=" + value;
}

bool is_network_knob(const std::string& name) { return name == "net" || name.starts_with("dim."); }

bool is_search_knob(const std::string& name) {
    return name == "mapper" || name == "objective" || name == "factors" || name == "seed";
}

std::vector<std::string> factor_rule_names() {
    std::vector<std::string> names;
    for (const FactorRule rule :
         {FactorRule::perfect, FactorRule::ruby, FactorRule::ruby_s, FactorRule::ruby_t, FactorRule::padded})
        names.emplace_back(name_of(rule));
    return names;
}

void check_search_value(const explore::Knob& knob, const std::string& value) {
    if (knob.name == "seed") check_whole_number(value, knob);
    if (knob.name == "mapper") refuse_unless(value, mapper_names(), knob);
    if (knob.name == "factors") refuse_unless(value, factor_rule_names(), knob);
    if (knob.name == "objective" && !parse_objective(value))
        throw InputError(ErrorCode::bad_value, knob.where, "no objective: '" + value + "'");
}

DesignKnobs design_knobs(const std::vector<explore::Knob>& let, const std::vector<explore::Knob>& set) {
    DesignKnobs knobs;
    std::vector<explore::Knob> all = let;
    for (const explore::Knob& variable : let) knobs.variables.push_back(variable.name);
    for (const explore::Knob& knob : set) {
        const bool derived = std::any_of(knob.values.begin(), knob.values.end(), [&](const std::string& value) {
            return std::any_of(knobs.variables.begin(), knobs.variables.end(),
                               [&](const std::string& name) { return mentions(value, name); });
        });
        if (derived && knob.values.size() != 1)
            throw InputError(ErrorCode::bad_value, knob.where,
                             "a value that names a variable stands alone: give '" + knob.name + "' one expression");
        if (derived)
            knobs.derived.push_back({knob.name, knob.values.front(), knob.where});
        else
            all.push_back(knob);
    }
    for (const DerivedSetting& derived : knobs.derived)
        if (is_network_knob(derived.name) || is_search_knob(derived.name) || is_template_knob(derived.name))
            throw InputError(ErrorCode::bad_value, derived.where,
                             "'" + derived.name + "' takes values, not expressions");
    for (const std::string& name : knobs.variables)
        if (std::none_of(knobs.derived.begin(), knobs.derived.end(),
                         [&](const DerivedSetting& derived) { return mentions(derived.expression, name); }))
            throw InputError(ErrorCode::unknown_name, let[&name - knobs.variables.data()].where,
                             "nothing uses the variable '" + name + "'");
    knobs.space = explore::Space(std::move(all));
    return knobs;
}

std::vector<timeloop::Setting> machine_settings(const DesignKnobs& knobs, explore::Point point) {
    std::vector<timeloop::Setting> settings;
    const explore::Space& space = knobs.space;
    for (std::size_t i = 0; i < space.knobs().size(); ++i) {
        const explore::Knob& knob = space.knobs()[i];
        if (is_of_machine(knobs, knob.name)) settings.push_back({knob.name, space.value(point, i), knob.where});
    }
    for (const DerivedSetting& derived : knobs.derived) {
        std::string value = derived.expression;
        bool found = false;
        for (std::size_t i = 0; i < knobs.variables.size(); ++i)  // the first knobs of the space
            value = with_value(value, knobs.variables[i], space.value(point, i), found);
        settings.push_back({derived.name, value, derived.where});
    }
    return settings;
}

}  // namespace tilewright
