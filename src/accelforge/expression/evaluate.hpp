// The values of AccelForge's expressions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "accelforge/expression/value.hpp"
#include "yaml/node.hpp"

namespace tilewright::accelforge {

/// The value of `text`, written at `place`. Throws InputError there: bad_value for a malformed or uncomputable
/// expression, unknown_name with the nearest known name, wrong_type, overflow for excessive effort.
Value evaluate_text(std::string_view text, const yaml::Node& place, const Names& names);

/// The value of a plain scalar: a number, true or false, a name, or an expression; a quoted one is the text itself.
Value evaluate(const yaml::Node& node, const Names& names);

/// The same for a single kind, else wrong_type; `number_at` takes infinities.
double number_at(const yaml::Node& node, const Names& names);
bool truth_at(const yaml::Node& node, const Names& names);
SetValue set_at(const yaml::Node& node, const Names& names);
SetValue set_of(std::string_view text, const yaml::Node& place, const Names& names);

/// Python's truth: empty texts, lists and sets, and 0 are false.
bool is_true(const Value& value);

// Functions of expressions.

/// Empty: no function of this name takes these values.
std::optional<Value> called(const std::string& function, const std::vector<Value>& arguments);

bool is_function(const std::string& name);

}  // namespace tilewright::accelforge
