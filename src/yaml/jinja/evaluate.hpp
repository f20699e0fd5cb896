// Values of Jinja's expressions.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "yaml/jinja/syntax.hpp"

namespace tilewright::jinja {

inline constexpr std::size_t kMaxText = 1U << 20U;  ///< bytes of one value

struct Context {
    const Document& document;  ///< the source
    std::function<Value(const std::string& name)> variable;
    /// Calls a template function (include, path_exists, ..); `place`: position of the call.
    std::function<Value(const std::string& name, const std::vector<Value>& arguments, std::size_t place)> function;
    std::int64_t& steps;  ///< counts down; overflow at 0
};

/// Throws InputError: unknown_name for an unknown part, filter, test or function, wrong_type, bad_value, overflow for
/// an excessive value or effort. Names without a value are Undefined.
Value evaluate(const Expression& expression, const Context& context);

/// Python's arithmetic, by operator ("+", "//", "**"). Of integers: empty for a real result; throws OverflowError;
/// requires b != 0 in divisions.
double real_result(const std::string& op, double a, double b);
std::optional<std::int64_t> whole_result(const std::string& op, std::int64_t a, std::int64_t b);

/// Items of a `for`: of a list, the characters of a text, the keys of a map. Throws wrong_type.
List items_of(const Value& value, const Context& context, std::size_t place);

/// `value | name(arguments)` and `value is name(arguments)`; the value is the first argument.
Value filtered(const std::string& name, const std::vector<Value>& arguments, const Context& context, std::size_t place);
bool tested(const std::string& name, const std::vector<Value>& arguments, const Context& context, std::size_t place);

/// value.name(arguments) of a text or a map: split, strip, items, ..; the value is the first argument.
Value method(const std::string& name, const std::vector<Value>& arguments, const Context& context, std::size_t place);

}  // namespace tilewright::jinja
