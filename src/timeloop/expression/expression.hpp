// Arithmetic in attribute values: the part of Python that Timeloop's front end is used with, e.g. `datawidth * 3`,
// `max(1, ceil(log2(depth)))`, `1 if depth > 8 else 0`, `len(spec.problem.instance)`, `buffer.attributes["width"]`.
//
// Whole numbers stay whole (and overflow is an error); `/` and the functions of real numbers give reals.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "yaml/node.hpp"

namespace tilewright::timeloop {

struct Value;

/// Something with named parts: a component, its attributes, a map of the file.
struct Parts {
    std::function<std::optional<Value>(std::string_view name)> find;
    std::size_t size = 0;
};

struct Value {
    std::variant<std::int64_t, double, std::string, std::vector<Value>, Parts> data;

    bool is_whole() const { return std::holds_alternative<std::int64_t>(data); }
    bool is_number() const { return is_whole() || std::holds_alternative<double>(data); }
    bool is_text() const { return std::holds_alternative<std::string>(data); }
    double real() const;  ///< requires is_number()
};

/// "7", "0.5", "'text'", "a list": for messages.
std::string to_text(const Value& value);

/// What a name of an expression stands for, if anything. May throw InputError.
using NameLookup = std::function<std::optional<Value>(std::string_view name)>;

/// The value of `text`, which is written at `place`. Throws InputError there: bad_value for what is not an expression
/// or cannot be computed, unknown_name (with the nearest of `known_names`), overflow.
Value evaluate_text(std::string_view text, const yaml::Node& place, const NameLookup& lookup,
                    const std::vector<std::string>& known_names = {});

/// The value of a YAML node: numbers, booleans and quoted text as they are, other text as an expression, lists and maps
/// by part.
Value evaluate_node(const yaml::Node& node, const NameLookup& lookup, const std::vector<std::string>& known_names = {});

/// The names that the expressions in `node` may refer to: every word in every plain value below it.
std::vector<std::string> words_in(const yaml::Node& node);

}  // namespace tilewright::timeloop
