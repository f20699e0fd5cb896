// Variations in an exploration by mapping: knobs of the machine, of the network ("net", "dim.NAME"), of the files'
// templates ("jinja.NAME") and of the search ("mapper", "objective", "factors", "seed"), and settings derived from
// variables.
//
//     const DesignKnobs knobs = design_knobs({parse_knob("size=1..4", where)},
//                                            {parse_knob("buffer.depth=size*1024", where)});
//     machine_settings(knobs, 2)       // buffer.depth = (3)*1024
#pragma once

#include <string>
#include <vector>

#include "explore/space.hpp"
#include "timeloop/machine/settings.hpp"

namespace tilewright {

/// A setting derived from variables: buffer.depth = size*16.
struct DerivedSetting {
    std::string name;
    std::string expression;
    Location where;
};

struct DesignKnobs {
    explore::Space space;                ///< variables first, then knobs
    std::vector<std::string> variables;  ///< knobs that are only names in expressions
    std::vector<DerivedSetting> derived;
};

/// A value of `set` with a variable of `let` is an expression, and alone. Throws InputError at the knob.
DesignKnobs design_knobs(const std::vector<explore::Knob>& let, const std::vector<explore::Knob>& set);

/// A variable of the files' Jinja templates: "jinja.NAME".
bool is_template_knob(const std::string& name);
/// "NAME=VALUE", as for --jinja, of a knob "jinja.NAME".
std::string template_setting(const std::string& knob, const std::string& value);
/// Other knobs outside the machine.
bool is_network_knob(const std::string& name);
bool is_search_knob(const std::string& name);

/// Throws InputError at the knob, one of the search, for an impossible value.
void check_search_value(const explore::Knob& knob, const std::string& value);

/// "perfect", "ruby", ...: the values of "factors".
std::vector<std::string> factor_rule_names();

/// The machine's knobs at one point.
std::vector<timeloop::Setting> machine_settings(const DesignKnobs& knobs, explore::Point point);

}  // namespace tilewright
