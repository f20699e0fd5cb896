// The values of Jinja's expressions.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "yaml/jinja/syntax.hpp"

namespace tilewright::jinja {

inline constexpr std::size_t kMaxText = 1U << 20U;  ///< bytes of one value

/// What an expression is computed with.
struct Context {
    const Document& document;  ///< where it is written
    std::function<Value(const std::string& name)> variable;
    /// Calls a function of the template's (include, path_exists, ..); `place` is the position of the call.
    std::function<Value(const std::string& name, const std::vector<Value>& arguments, std::size_t place)> function;
    std::int64_t& steps;  ///< counts down; overflow at 0
};

/// Throws InputError: unknown_name for a part, filter, test or function that is not known, wrong_type, bad_value,
/// overflow for a value or an effort beyond all measure. Names without a value are Undefined.
Value evaluate(const Expression& expression, const Context& context);

/// Python's arithmetic, by operator ("+", "//", "**"). Of whole numbers: nothing where the result is a real number;
/// throws OverflowError; requires b != 0 in divisions.
double real_result(const std::string& op, double a, double b);
std::optional<std::int64_t> whole_result(const std::string& op, std::int64_t a, std::int64_t b);

/// The items that a `for` goes through: of a list, the characters of a text, the keys of a map. Throws wrong_type.
List items_of(const Value& value, const Context& context, std::size_t place);

/// `value | name(arguments)` and `value is name(arguments)`; the value is the first argument.
Value filtered(const std::string& name, const std::vector<Value>& arguments, const Context& context, std::size_t place);
bool tested(const std::string& name, const std::vector<Value>& arguments, const Context& context, std::size_t place);

/// value.name(arguments) of a text or a map: split, strip, items, ..; the value is the first argument.
Value method(const std::string& name, const std::vector<Value>& arguments, const Context& context, std::size_t place);

}  // namespace tilewright::jinja
